"""Errors that a user can mend; the command line shows them as one sentence."""


class UsageError(ValueError):
    """What was asked for does not exist or cannot be read."""
