"""Everyday steps of published appendices, each true, with a false twin."""
