"""Trials of the failure kinds, over real sockets and real processes.

Each trial is a function with a size: small in the test suite, full in `scripts/soak`. It returns what it measured and
raises AssertionError where the product failed. `registry` lists them all.
"""
