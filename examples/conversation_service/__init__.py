"""A conversation service whose persona remembers, on the public face of yesteryear alone."""
