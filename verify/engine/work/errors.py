"""Errors that a user can correct; the command line shows them as one sentence."""


class UsageError(ValueError):
    """The user's input is wrong: something does not exist or cannot be read."""
