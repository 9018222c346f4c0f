-- The text of skipped messages has no default limit any more. A day that was set under the settings of then is opened:
-- 0 is for "not dated", which erases nothing, and the worker dates anew by the settings of now. What a rule took for a
-- request to forget keeps its day.
UPDATE message SET expires_at = 0
WHERE expires_at IS NOT NULL AND verdict IS NOT NULL
    AND NOT (json_extract(verdict, '$.reason') = 'forget_request' AND json_extract(verdict, '$.rule') IS NOT NULL);
