"""Steps that cross the stages of a memory: what is due, what it costs, why it is so, and thinking it again."""
