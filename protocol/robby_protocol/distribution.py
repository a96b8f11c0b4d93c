"""What this distribution is called where it is installed, and where a platform keeps its files. No game's name."""

NAME = "robby-solo"
