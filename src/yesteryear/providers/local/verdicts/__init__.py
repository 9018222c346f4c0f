"""What two statements are to each other, told without a language model."""
