-- In SQLite before 3.41 json_valid(NULL) is 0, so that `PRAGMA integrity_check` complained about each tournament without a
-- verdict.
ALTER TABLE tournaments ADD COLUMN checked_verdict TEXT CHECK (checked_verdict IS NULL OR json_valid(checked_verdict));
UPDATE tournaments SET checked_verdict = verdict;
ALTER TABLE tournaments DROP COLUMN verdict;
ALTER TABLE tournaments RENAME COLUMN checked_verdict TO verdict;
