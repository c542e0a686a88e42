-- What a bot added to its row or its take, 32 bytes; null where it added nothing.
ALTER TABLE events ADD COLUMN note_hash bytea;
