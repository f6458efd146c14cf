"""Label propagation, a pipeline of its own: embedding, neighbor search, graph, propagation."""
