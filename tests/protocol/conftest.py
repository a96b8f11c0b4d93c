"""Settings for generated tests: no deadline for a single example, since the machine may be busy."""

from hypothesis import settings

settings.register_profile("robby", deadline=None)
settings.load_profile("robby")
