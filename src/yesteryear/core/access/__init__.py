"""What callers pass, the keys that let them in, and the audit of what they did."""
