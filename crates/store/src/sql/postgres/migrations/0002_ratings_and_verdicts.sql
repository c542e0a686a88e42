-- Null in the standings of tournaments that were over before there were ratings, and of bots that never showed up.
ALTER TABLE standings ADD COLUMN rating double precision;
ALTER TABLE standings ADD COLUMN rating_low double precision;
ALTER TABLE standings ADD COLUMN rating_high double precision;
ALTER TABLE standings ADD COLUMN rating_island bigint;
-- Of tournaments in which two play a match.
ALTER TABLE standings ADD COLUMN elo double precision;
ALTER TABLE standings ADD COLUMN skill double precision;
ALTER TABLE standings ADD COLUMN skill_low double precision;
ALTER TABLE standings ADD COLUMN skill_high double precision;

-- What the format says besides the standings; null where it says nothing.
ALTER TABLE tournaments ADD COLUMN verdict jsonb;
