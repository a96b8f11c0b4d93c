"""The language that Robby's server and clients share: bytes in, messages out, no input or output of its own."""
