"""The games as pure functions: no trio, no sockets, no clock, no global randomness."""
