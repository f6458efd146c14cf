"""Speed, memory and quality of modlearn, each against a peer measured in the same run."""
