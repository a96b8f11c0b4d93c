"""The games' shared vocabulary: pieces, options, actions, views and events as types, and plain arithmetic on them.

No turn order, no hidden state, no decisions: those are the rules', on the server's side alone.
"""
