-- What was published of the transcripts of language models, by question; ply -1 is the question for the row.
CREATE TABLE transcripts (
    match_id TEXT NOT NULL REFERENCES matches (id),
    seat INTEGER NOT NULL,
    ply INTEGER NOT NULL CHECK (ply >= -1),
    published_at_us INTEGER NOT NULL,
    lines TEXT NOT NULL,
    PRIMARY KEY (match_id, seat, ply)
) STRICT;
