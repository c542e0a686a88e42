-- What a tournament that is not over had come to when its newest checkpoint was written. Derived data: without it, all
-- results are counted again.
CREATE TABLE checkpoints (
    tournament_id TEXT NOT NULL PRIMARY KEY REFERENCES tournaments,
    -- Of the code that wrote it.
    version INTEGER NOT NULL,
    -- All matches of lower numbers are counted, and some of higher ones.
    upto INTEGER NOT NULL,
    state BLOB NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
