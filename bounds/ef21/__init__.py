"""EF21: error feedback for contractive compressors, by compressed differences of gradients."""
