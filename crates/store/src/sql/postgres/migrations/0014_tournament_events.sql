-- What organisers did to tournaments that ran, in its order: each is proto JSON of a TournamentEvent.
CREATE TABLE tournament_events (
    tournament_id uuid NOT NULL REFERENCES tournaments,
    seq bigint NOT NULL,
    event jsonb NOT NULL,
    PRIMARY KEY (tournament_id, seq)
);
-- Why a match was voided. It has no number any more: that is for the match that is played in its place.
ALTER TABLE matches ADD COLUMN void_reason text;
ALTER TABLE standings ADD COLUMN disqualified bigint NOT NULL DEFAULT 0;
