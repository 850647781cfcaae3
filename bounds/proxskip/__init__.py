"""ProxSkip: local gradient steps with control variates, communication with a probability."""
