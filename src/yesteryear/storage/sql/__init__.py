"""What stores share that keep their rows in tables: statements, and the repositories over them."""
