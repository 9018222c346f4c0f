"""From a question to a small, true context: index, score, pack, render."""
