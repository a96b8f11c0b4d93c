"""The table screen of Wild Wild Pattern."""
