"""Texts for people, through gettext.

Everywhere: `from robby_protocol.i18n import _, ngettext`. English texts are the keys. `use_language` picks a
catalogue; without one the English text is shown. Texts are looked up when shown, never at import.
"""

import gettext
from collections.abc import Sequence
from importlib.resources import files

DOMAIN = "robby"

_translations: gettext.NullTranslations = gettext.NullTranslations()


def use_language(languages: Sequence[str] | None = None) -> None:
    """Take the first of `languages` that has a catalogue.

    None asks the environment (LANGUAGE, LC_ALL, LC_MESSAGES, LANG). Without any catalogue the texts stay English.
    """
    global _translations  # noqa: PLW0603 - one language per process, as in gettext itself
    locale_dir = str(files("robby_protocol") / "locale")
    _translations = gettext.translation(DOMAIN, locale_dir, languages, fallback=True)


def _(text: str) -> str:
    """The text in the language in use."""
    return _translations.gettext(text)


def ngettext(singular: str, plural: str, n: int) -> str:
    """The text for n things in the language in use."""
    return _translations.ngettext(singular, plural, n)


def N_(text: str) -> str:  # noqa: N802 - gettext's own name for "mark, do not translate yet"
    """Mark a text for extraction where it stands in a table and is looked up later."""
    return text
