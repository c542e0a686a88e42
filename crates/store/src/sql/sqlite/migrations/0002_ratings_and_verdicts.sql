-- Null in the standings of tournaments that were over before there were ratings, and of bots that never showed up.
ALTER TABLE standings ADD COLUMN rating REAL;
ALTER TABLE standings ADD COLUMN rating_low REAL;
ALTER TABLE standings ADD COLUMN rating_high REAL;
ALTER TABLE standings ADD COLUMN rating_island INTEGER;
-- Of tournaments in which two play a match.
ALTER TABLE standings ADD COLUMN elo REAL;
ALTER TABLE standings ADD COLUMN skill REAL;
ALTER TABLE standings ADD COLUMN skill_low REAL;
ALTER TABLE standings ADD COLUMN skill_high REAL;

-- What the format says besides the standings; null where it says nothing.
ALTER TABLE tournaments ADD COLUMN verdict TEXT CHECK (json_valid(verdict));
