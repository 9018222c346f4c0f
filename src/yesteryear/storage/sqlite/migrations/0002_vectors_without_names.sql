-- Passages are embedded without the names of those who speak; vectors of before had the author in front and cannot be
-- compared with questions any more. They are made anew in the background, and words serve until then.

DELETE FROM vector WHERE grain = 'excerpt';
UPDATE message SET vector_due_at = recorded_at, attempts = 0, error = NULL
WHERE verdict IS NOT NULL AND content <> '';
UPDATE owner SET rev = rev + 1;
