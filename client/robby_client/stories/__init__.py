"""Each game in words, one module per game: what every client says of it, whatever it draws with."""
