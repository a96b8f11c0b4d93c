"""Events told as sentences, one module per game, and one for the table. Used by logs and by the told game."""
