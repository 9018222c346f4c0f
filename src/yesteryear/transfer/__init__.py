"""Taking a memory along: all of it as lines in one file, and back, checked; and from store to store."""
