"""Claims about one symbol, in pieces of its range: branch and bound with certificates."""
