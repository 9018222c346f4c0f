"""How the things in a person's life bear on each other: edges between what is known, and what follows from them."""
