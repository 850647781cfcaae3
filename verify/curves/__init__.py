"""What figures draw: one computation per file, each with ``compute(seed)``, which returns plain JSON content."""
