-- What could be removed next of a tournament, from the oldest on, and how many of the newest are kept.
CREATE INDEX matches_with_records_by_tournament ON matches (tournament_id, id)
    WHERE pruned_at_us IS NULL AND over_at_us IS NOT NULL AND tournament_id IS NOT NULL;
