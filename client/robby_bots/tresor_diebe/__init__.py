"""The bots of Tresor Diebe."""
