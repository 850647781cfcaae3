"""Images, streams of tasks made of them, and their assignment to clients."""
