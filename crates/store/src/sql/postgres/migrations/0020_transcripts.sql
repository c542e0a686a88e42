-- What was published of the transcripts of language models, by question; ply -1 is the question for the row.
CREATE TABLE transcripts (
    match_id uuid NOT NULL REFERENCES matches (id),
    seat bigint NOT NULL,
    ply bigint NOT NULL CHECK (ply >= -1),
    published_at_us bigint NOT NULL,
    lines text NOT NULL,
    PRIMARY KEY (match_id, seat, ply)
);
