-- Bots that entered or left a tournament while it ran, in the order in which they did; those of its start are its entrants.
CREATE TABLE field_changes (
    tournament_id uuid NOT NULL REFERENCES tournaments,
    seq bigint NOT NULL,
    -- The first round that it is for.
    round bigint NOT NULL,
    bot text COLLATE "C" NOT NULL,
    movement text NOT NULL CHECK (movement IN ('enters', 'leaves')),
    PRIMARY KEY (tournament_id, seq)
);
