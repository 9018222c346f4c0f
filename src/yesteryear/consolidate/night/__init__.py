"""The night: what is done when nobody waits."""
