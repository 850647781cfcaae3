"""Work on several processes or machines, progress, and errors of commands."""
