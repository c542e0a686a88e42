-- The versions that a bot said at the start of its sessions, those that were seen last. What it did not say is empty.
CREATE TABLE bot_versions (
    bot text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    config_hash bytea NOT NULL CHECK (length(config_hash) IN (0, 32)),
    first_seen_at_us bigint NOT NULL,
    last_seen_at_us bigint NOT NULL,
    PRIMARY KEY (bot, version, config_hash)
);

-- By seat: the versions that sat there, as the wire has them; null where no bot said any.
ALTER TABLE matches ADD COLUMN seat_versions jsonb;
-- The versions of the bot that played, as the wire has them; null where it never said any.
ALTER TABLE standings ADD COLUMN versions jsonb;
