"""Stage 6: propagation, a pipeline of its own: embedding, neighbor search, graph, pass, model."""
