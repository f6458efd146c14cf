"""The second pipeline: embedding, neighbor search, graph and propagation."""
