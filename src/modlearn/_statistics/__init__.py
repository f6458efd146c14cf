"""Stage 1: counts that add, subtract and coarsen; the waist that everything learned passes through."""
