"""The bots of Wild Wild Pattern, and what they share."""
