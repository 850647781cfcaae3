"""Shared settings: one Hypothesis profile, without deadlines because the machine may be busy."""

from hypothesis import settings

settings.register_profile("default", deadline=None, print_blob=True)
settings.load_profile("default")
