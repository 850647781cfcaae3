"""Published rates of first-order methods, most of them of PEPit's catalogue of examples, stated as theorems of one's own."""
