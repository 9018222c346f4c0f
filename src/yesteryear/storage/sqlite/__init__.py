"""One SQLite file: rows, queue and vectors; several processes may open it at once."""
