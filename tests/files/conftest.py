"""Property tests run without a deadline for each example: a busy machine is no failure."""

from hypothesis import settings

settings.register_profile("files", deadline=None)
settings.load_profile("files")
