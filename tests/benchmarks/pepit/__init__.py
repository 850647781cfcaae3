"""Published rates of first-order methods, most of them from PEPit's examples, stated as user theorems."""
