"""What a run found, for readers: the terminal, one HTML file, LaTeX and Markdown, from saved records alone."""
