"""The bots of Robby Solo, and what they share."""
