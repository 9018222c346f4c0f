"""What each page reads, and what each form does."""
