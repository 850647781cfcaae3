"""Many networks at once: what they lose, how they are trained and tested, and what that takes."""
