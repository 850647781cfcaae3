"""Records and stored answers: their files, digests, validity and replay."""
