"""Stage 1: a frame or an array becomes named, typed columns and a target."""
