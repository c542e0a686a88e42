-- Events in rows of their own are those that earlier versions wrote; no row is added to `events`.

-- What one write decided: events of many matches, as `event_bytes.rs` sets them out. A row goes when all of them are in parts.
-- Rows come and go all the time: room is made for new ones without waiting for a share of the table.
CREATE TABLE journal (
    id bigint PRIMARY KEY,
    events bytea NOT NULL
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
    toast.autovacuum_vacuum_threshold = 10000, toast.autovacuum_vacuum_scale_factor = 0);
-- Half of the bytes are hashes: to compress them is in vain.
ALTER TABLE journal ALTER COLUMN events SET STORAGE EXTERNAL;
-- The first row of the journal that may have events of the match.
ALTER TABLE matches ADD COLUMN journal_from bigint NOT NULL DEFAULT 0;

-- Events of one match that follow each other: from the place `seq` in its record to before `next_seq`. A match that is over has all
-- of its own here, one that is not over all but its newest.
CREATE TABLE record_parts (
    match_id uuid NOT NULL,
    seq bigint NOT NULL,
    next_seq bigint NOT NULL,
    -- Takes of the match before `next_seq`.
    plies bigint NOT NULL,
    events bytea NOT NULL,
    PRIMARY KEY (match_id, seq)
);
ALTER TABLE record_parts ALTER COLUMN events SET STORAGE EXTERNAL;
