"""The fair deal in a sentence."""

from robby_client.codes import text_for
from robby_client.deal import COMMITTED, OPENED, Deal
from robby_protocol.i18n import _


def deal_sentence(deal: Deal) -> str | None:
    """How the deal stands, in one line; None where nobody committed to anything, so that there is nothing to check."""
    if deal.trouble is not None:
        return text_for(deal.trouble)
    if not deal.people:
        return None
    if deal.stage == COMMITTED:
        return _("The deal: {count} of {count} committed; now all open.").format(count=deal.people)
    if deal.stage == OPENED:
        return _("The deal is fair: {opened} of {count} opened.").format(opened=deal.opened_by, count=deal.people)
    if not deal.nonces:
        return None  # the start was broken off, which the table's news say
    return _("The deal is checked: the server's secret is what it was committed to.")
