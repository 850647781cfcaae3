"""CFL (Guo, Lin, Tang): time-evolving data, optimal weights of past rounds."""
