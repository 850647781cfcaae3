"""Steps of a proof search. Each writes lines of a certificate, which both checkers accept or refuse."""
