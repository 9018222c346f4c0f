-- Fading: what strengthens an episode, whether it is held, and when its next step is due (the row is the queue).

ALTER TABLE episode ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE episode ADD COLUMN recalls TEXT NOT NULL DEFAULT '[]';
ALTER TABLE episode ADD COLUMN restored_at INTEGER;
ALTER TABLE episode ADD COLUMN fades_at INTEGER;
-- Those of before are looked at with the worker's next look, and dated then.
UPDATE episode SET fades_at = recorded_at WHERE status IN ('active', 'archived');
CREATE INDEX episode_fading ON episode (fades_at, tenant, user) WHERE fades_at IS NOT NULL;
CREATE INDEX episode_status ON episode (tenant, user, status);

-- What became of what was shown: asked once, when the person's next messages are there.
ALTER TABLE recall_event ADD COLUMN asked TEXT NOT NULL DEFAULT '[]';
ALTER TABLE recall_event ADD COLUMN settled INTEGER NOT NULL DEFAULT 0;
CREATE INDEX recall_event_open ON recall_event (tenant, user, project, agent, conversation, at) WHERE settled = 0;

-- Who was erased, without a name: a hash keeps the generation, so that work in flight cannot bring rows back.
CREATE TABLE erasure (
    tenant     TEXT NOT NULL,
    person     TEXT NOT NULL,
    generation INTEGER NOT NULL,
    erased_at  INTEGER NOT NULL,
    is_pending INTEGER NOT NULL,
    receipt    TEXT NOT NULL,
    PRIMARY KEY (tenant, person)
) WITHOUT ROWID;

UPDATE owner SET rev = rev + 1;
