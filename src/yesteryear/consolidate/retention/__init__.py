"""What is retained: fading, bounds, and what useful recall keeps."""
