"""Images, streams of tasks made of them, and who gets which."""
