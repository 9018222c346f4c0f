-- What a fact tells of whom, in columns of its own so that facts are found by it; facts of before tell neither.
ALTER TABLE fact
    ADD COLUMN attribute TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN holder TEXT COLLATE "C" NOT NULL DEFAULT '';
