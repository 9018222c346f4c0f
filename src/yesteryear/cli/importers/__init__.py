"""One file a format: each reads it and yields what it finds, in the file's order, and decides nothing else."""
