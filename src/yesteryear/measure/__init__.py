"""What people tell of their lives in numbers: read of a message, gathered into series, and what these say."""
