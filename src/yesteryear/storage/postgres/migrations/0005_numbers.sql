-- What a message tells of its speaker's life in numbers; messages of before tell none until they are read again.
ALTER TABLE message ADD COLUMN numbers TEXT COLLATE "C" NOT NULL DEFAULT '[]';
CREATE INDEX message_numbers ON message (tenant, "user", at, id) WHERE numbers <> '[]';
