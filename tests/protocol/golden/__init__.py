"""The recorded wire: for each version a folder with its schema and the bytes of the sample frames.

`python -m tests.protocol.golden` (or `scripts/schema`) records the version of today. What was recorded once is
history: a peer of that version may exist, so its frames are decoded by tests for ever.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
