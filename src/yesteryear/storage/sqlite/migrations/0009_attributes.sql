-- What a fact tells of whom, in columns of its own so that facts are found by it; facts of before tell neither.
ALTER TABLE fact ADD COLUMN attribute TEXT NOT NULL DEFAULT '';
ALTER TABLE fact ADD COLUMN holder TEXT NOT NULL DEFAULT '';
