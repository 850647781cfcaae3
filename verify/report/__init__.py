"""Results of a run for readers, from saved records alone: on the terminal, as one HTML file, LaTeX or Markdown."""
