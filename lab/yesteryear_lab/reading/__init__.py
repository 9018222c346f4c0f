"""Teaching the reader: labelled talk as rows, what is learnt from it, and how well it reads."""
