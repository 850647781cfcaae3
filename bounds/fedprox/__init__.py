"""FedProx: inexact proximal steps of clients for nonconvex losses of bounded dissimilarity."""
