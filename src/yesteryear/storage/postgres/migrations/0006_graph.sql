-- What an edge is known by: those of before tell what rests on what, and are not walked along.
ALTER TABLE edge ADD COLUMN basis TEXT COLLATE "C" NOT NULL DEFAULT 'rests';
CREATE INDEX edge_target ON edge (tenant, "user", target);
