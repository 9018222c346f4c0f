-- The text of skipped messages has no default limit any more. A day that was set under the settings of then is opened:
-- 0 is for "not dated", which erases nothing, and the worker dates anew by the settings of now. What a rule took for a
-- request to forget keeps its day.
ALTER TABLE message NO FORCE ROW LEVEL SECURITY;
ALTER TABLE owner NO FORCE ROW LEVEL SECURITY;
UPDATE message SET expires_at = 0
WHERE expires_at IS NOT NULL AND verdict IS NOT NULL
    AND NOT (verdict::jsonb ->> 'reason' = 'forget_request' AND verdict::jsonb ->> 'rule' IS NOT NULL);
UPDATE owner SET due_at = 0
WHERE EXISTS (
    SELECT 1 FROM message
    WHERE message.tenant = owner.tenant AND message."user" = owner."user" AND message.expires_at = 0
);
ALTER TABLE message FORCE ROW LEVEL SECURITY;
ALTER TABLE owner FORCE ROW LEVEL SECURITY;
