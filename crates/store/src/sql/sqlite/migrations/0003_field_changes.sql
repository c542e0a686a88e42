-- Bots that entered or left a tournament while it ran, in the order in which they did; those of its start are its entrants.
CREATE TABLE field_changes (
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    seq INTEGER NOT NULL,
    -- The first round that it is for.
    round INTEGER NOT NULL,
    bot TEXT NOT NULL,
    movement TEXT NOT NULL CHECK (movement IN ('enters', 'leaves')),
    PRIMARY KEY (tournament_id, seq)
) STRICT, WITHOUT ROWID;
