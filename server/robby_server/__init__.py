"""The server: listener, sessions, identities, lobby, tables, journal. Knows nothing of the client side."""
