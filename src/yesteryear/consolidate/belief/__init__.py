"""What is believed: from what was said, judged and done by hand."""
