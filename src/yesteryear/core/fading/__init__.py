"""What time leaves of a memory and of a fact."""
