-- What a tournament that is not over had come to when its newest checkpoint was written. Derived data: without it, all
-- results are counted again.
CREATE TABLE checkpoints (
    tournament_id uuid PRIMARY KEY REFERENCES tournaments,
    -- Of the code that wrote it.
    version bigint NOT NULL,
    -- All matches of lower numbers are counted, and some of higher ones.
    upto bigint NOT NULL,
    state bytea NOT NULL,
    hash bytea NOT NULL CHECK (length(hash) = 32)
);
