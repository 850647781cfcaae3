"""Data sets in files on this computer."""
