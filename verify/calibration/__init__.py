"""What the engine gets right and wrong on statements of known truth, none of them from a paper of the catalogue."""
