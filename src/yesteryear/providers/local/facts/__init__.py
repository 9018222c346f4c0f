"""Facts from what somebody wrote, without a key: which words state one, of what kind, and how to say it on its own."""
