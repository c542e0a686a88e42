-- What lists of matches look for: the reason of the end, and matches that do not count.
CREATE INDEX matches_by_reason ON matches (reason, id) WHERE reason IS NOT NULL;
CREATE INDEX matches_voided ON matches (id) WHERE void_reason IS NOT NULL;
CREATE INDEX matches_quarantined ON matches (id) WHERE damage IS NOT NULL;
