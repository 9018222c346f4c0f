"""How objects become rows, what is asked of a store, and work that waits on a row."""
