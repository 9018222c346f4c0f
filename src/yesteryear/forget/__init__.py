"""The person's rights over what is kept: forget, erase, export, take along."""
