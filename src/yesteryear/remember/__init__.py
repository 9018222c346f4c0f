"""From a message to a memory: journal, segment, gate, digest, importance, activate."""
