"""What figures draw: one computation per file, whose ``compute(seed)`` returns the content to save."""
