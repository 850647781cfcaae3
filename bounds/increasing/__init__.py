"""Continual linear regression in random order with regularisation whose strength may grow."""
