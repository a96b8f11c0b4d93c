"""The whole server with dozens of clients in one process, on a fake clock, driven by one seed.

The seed decides everything: who plays what and when, how the network drops, delays, cuts and stalls, when the server is
killed and started again. So a seed that fails is a bug that can be looked at as often as one likes.
"""
