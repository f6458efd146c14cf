"""Stage 6: the second pipeline: embedding, neighbor search, graph and propagation."""
