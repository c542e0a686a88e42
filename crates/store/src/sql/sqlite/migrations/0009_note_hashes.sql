-- What a bot added to its row or its take, 32 bytes; null where it added nothing.
ALTER TABLE event_log ADD COLUMN note_hash BLOB;

DROP VIEW events;
CREATE VIEW events AS
    SELECT matches.id AS match_id, seq, at_us, kind, seat, ply, take, steward, charged_us, lag_us,
        event_log.reason AS reason, event_log.winner AS winner, detail, note_hash, hash
    FROM matches CROSS JOIN json_each(event_ids) AS place CROSS JOIN event_log ON event_log.id = place.value
    UNION ALL
    SELECT matches.id AS match_id, seq, at_us, kind, seat, ply, take, steward, charged_us, lag_us,
        event_log.reason AS reason, event_log.winner AS winner, detail, note_hash, hash
    FROM matches CROSS JOIN event_log ON event_log.id >= unlisted_from AND match_key = key
    WHERE unlisted_from IS NOT NULL;
