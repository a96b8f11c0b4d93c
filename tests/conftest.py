"""For all tests."""

import signal

# Whoever starts the tests in the background of a shell, or by nohup, has these ignored, and every program that a test
# starts would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
