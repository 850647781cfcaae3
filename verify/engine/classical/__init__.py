"""Classical identities and inequalities of several numbers: products of powers, norms, means."""
