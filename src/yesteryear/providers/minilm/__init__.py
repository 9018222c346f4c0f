"""The default embedding model, all-MiniLM-L6-v2 with weights of 8 bits: installing it and running it, offline."""
