-- When the events of a match that is over were removed; null while they are kept.
ALTER TABLE matches ADD COLUMN pruned_at_us bigint;
-- What could be removed next, from the oldest on.
CREATE INDEX matches_with_records ON matches (id) WHERE pruned_at_us IS NULL;
