"""Bots: players that are programs. They see what a person in their seat would see, over the same protocol."""
