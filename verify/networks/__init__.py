"""Networks on real data: streams of tasks, models, training of many runs at once, and what it costs."""
