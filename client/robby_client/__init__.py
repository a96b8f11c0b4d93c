"""The client's core on anyio: one connection that comes back by itself, and a picture of the world.

Knows no screens.
"""
