"""Robby Solo's screens: the table with its banks, its results, its chapters of the help."""
