"""The reference store: what every store has to do, said as plainly as possible; nothing is on disk."""
