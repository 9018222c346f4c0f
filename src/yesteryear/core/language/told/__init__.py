"""What people plainly tell of their lives, by rules of a language: of themselves and theirs, tastes, tasks, ends."""
