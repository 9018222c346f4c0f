"""The settings, and which working folders may change them."""
