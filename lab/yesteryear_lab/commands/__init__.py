"""The commands that the laboratory adds to the command line."""
