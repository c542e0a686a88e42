-- Events in rows of their own are those that earlier versions wrote. Every match lists its own: no row is added.
WITH unlisted AS MATERIALIZED (
    SELECT match_key, seq, event_log.id AS id FROM event_log CROSS JOIN matches ON key = match_key
    WHERE event_log.id >= (SELECT min(unlisted_from) FROM matches WHERE unlisted_from IS NOT NULL)
        AND event_log.id >= unlisted_from AND json_valid(event_ids)
), placed AS (
    SELECT matches.key AS match_key, place.key AS seq, place.value AS id
    FROM matches CROSS JOIN json_each(CASE WHEN json_valid(event_ids) THEN event_ids ELSE '[]' END) AS place
    WHERE unlisted_from IS NOT NULL
    UNION ALL SELECT match_key, seq, id FROM unlisted
    -- A list that cannot be read is made anew from all of the log.
    UNION ALL SELECT match_key, seq, event_log.id FROM matches CROSS JOIN event_log ON match_key = key
    WHERE unlisted_from IS NOT NULL AND NOT json_valid(event_ids)
)
UPDATE matches SET event_ids = listed.ids, unlisted_from = NULL
FROM (SELECT match_key, json_group_array(id) AS ids FROM (SELECT * FROM placed ORDER BY match_key, seq) GROUP BY match_key)
    AS listed
WHERE key = listed.match_key;
DROP INDEX matches_unlisted;
DROP VIEW events;
CREATE VIEW events AS
    SELECT matches.id AS match_id, seq, at_us, kind, seat, ply, take, steward, charged_us, lag_us,
        event_log.reason AS reason, event_log.winner AS winner, detail, note_hash, hash
    FROM matches CROSS JOIN json_each(event_ids) AS place CROSS JOIN event_log ON event_log.id = place.value;

-- What one write decided: events of many matches, as `event_bytes.rs` sets them out. A row goes when all of them are in parts.
CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    events BLOB NOT NULL
) STRICT;
-- The first row of the journal that may have events of the match.
ALTER TABLE matches ADD COLUMN journal_from INTEGER NOT NULL DEFAULT 0;

-- Events of one match that follow each other: from the place `seq` in its record to before `next_seq`. A match that is over has all
-- of its own here, one that is not over all but its newest.
CREATE TABLE record_parts (
    id INTEGER PRIMARY KEY,
    match_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    next_seq INTEGER NOT NULL,
    -- Takes of the match before `next_seq`.
    plies INTEGER NOT NULL,
    events BLOB NOT NULL,
    UNIQUE (match_id, seq)
) STRICT;
