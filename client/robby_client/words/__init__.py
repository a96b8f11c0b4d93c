"""What things of a game are called when shown to a person, one module per game."""
