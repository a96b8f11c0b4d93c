"""Tresor Diebe's screens: the table with its safes, dice and thieves, its results, its chapters of the help."""
