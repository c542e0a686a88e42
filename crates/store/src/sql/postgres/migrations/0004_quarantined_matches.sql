-- The damage that was found in the record of a match that was not over: the match is quarantined, and counts for nobody.
-- Null of all others.
ALTER TABLE matches ADD COLUMN damage text;
