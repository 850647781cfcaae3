"""Theory against experience: saved results in, figures out. One figure per file, listed in `figures.main`."""
