"""The randomised Kaczmarz method: rows of a linear system in random order."""
