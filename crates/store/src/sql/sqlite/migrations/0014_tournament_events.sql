-- What organisers did to tournaments that ran, in its order: each is proto JSON of a TournamentEvent.
CREATE TABLE tournament_events (
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL CHECK (json_valid(event)),
    PRIMARY KEY (tournament_id, seq)
) STRICT, WITHOUT ROWID;
-- Why a match was voided. It has no number any more: that is for the match that is played in its place.
ALTER TABLE matches ADD COLUMN void_reason TEXT;
ALTER TABLE standings ADD COLUMN disqualified INTEGER NOT NULL DEFAULT 0;
