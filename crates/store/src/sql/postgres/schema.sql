-- Times are microseconds since 1970-01-01 UTC, in columns that end in _at_us; spans end in _us.

-- One row: the version of these tables, and the number of the server that owns them. Every server that opens the
-- database raises the epoch, and one whose epoch is gone writes no more.
CREATE TABLE server (
    id bigint PRIMARY KEY CHECK (id = 1),
    schema_version bigint NOT NULL,
    epoch bigint NOT NULL
);

-- Names are compared byte by byte, as the server compares them.
CREATE TABLE bots (
    name text COLLATE "C" PRIMARY KEY,
    registered_at_us bigint NOT NULL,
    token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
    -- All matches of the bot up to this one, in the order of their ids, are over, and it has heard of their ends.
    ends_heard uuid
);

-- The versions that a bot said at the start of its sessions, those that were seen last. What it did not say is empty.
CREATE TABLE bot_versions (
    bot text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    config_hash bytea NOT NULL CHECK (length(config_hash) IN (0, 32)),
    first_seen_at_us bigint NOT NULL,
    last_seen_at_us bigint NOT NULL,
    PRIMARY KEY (bot, version, config_hash)
);

CREATE TABLE tournaments (
    id uuid PRIMARY KEY,
    created_at_us bigint NOT NULL,
    title text NOT NULL,
    -- A text, for it may be above the largest bigint.
    seed text NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'running', 'finished', 'cancelled')),
    settings jsonb NOT NULL,
    over_at_us bigint,
    played bigint,
    total bigint,
    -- What the format says besides the standings; null where it says nothing.
    verdict jsonb
);
CREATE INDEX tournaments_unfinished ON tournaments (id) WHERE over_at_us IS NULL;

CREATE TABLE entrants (
    tournament_id uuid NOT NULL REFERENCES tournaments,
    place bigint NOT NULL,
    bot text COLLATE "C" NOT NULL,
    PRIMARY KEY (tournament_id, place),
    UNIQUE (tournament_id, bot)
);

-- Bots that entered or left a tournament while it ran, in the order in which they did; those of its start are its entrants.
CREATE TABLE field_changes (
    tournament_id uuid NOT NULL REFERENCES tournaments,
    seq bigint NOT NULL,
    -- The first round that it is for.
    round bigint NOT NULL,
    bot text COLLATE "C" NOT NULL,
    movement text NOT NULL CHECK (movement IN ('enters', 'leaves')),
    PRIMARY KEY (tournament_id, seq)
);

-- What organisers did to tournaments that ran, in its order: each is proto JSON of a TournamentEvent.
CREATE TABLE tournament_events (
    tournament_id uuid NOT NULL REFERENCES tournaments,
    seq bigint NOT NULL,
    event jsonb NOT NULL,
    PRIMARY KEY (tournament_id, seq)
);

-- What a tournament that is not over had come to when its newest checkpoint was written. Derived data: without it, all
-- results are counted again.
CREATE TABLE checkpoints (
    tournament_id uuid PRIMARY KEY REFERENCES tournaments,
    -- Of the code that wrote it.
    version bigint NOT NULL,
    -- All matches of lower numbers are counted, and some of higher ones.
    upto bigint NOT NULL,
    state bytea NOT NULL,
    hash bytea NOT NULL CHECK (length(hash) = 32)
);

CREATE TABLE standings (
    tournament_id uuid NOT NULL REFERENCES tournaments,
    position bigint NOT NULL,
    place bigint NOT NULL,
    bot text COLLATE "C" NOT NULL,
    points double precision NOT NULL,
    matches bigint NOT NULL,
    wins bigint NOT NULL,
    satisfaction double precision,
    accuracy double precision,
    regret_per_match double precision,
    luck_per_match double precision,
    forfeits bigint NOT NULL,
    no_shows bigint NOT NULL,
    -- Null of bots that never showed up.
    rating double precision,
    rating_low double precision,
    rating_high double precision,
    rating_island bigint,
    rating_measure text,
    -- Of tournaments in which two play a match.
    elo double precision,
    skill double precision,
    skill_low double precision,
    skill_high double precision,
    -- The versions of the bot that played, as the wire has them; null where it never said any.
    versions jsonb,
    disqualified bigint NOT NULL,
    PRIMARY KEY (tournament_id, position)
);

-- Ends of tournaments that a bot has not confirmed to have heard, and the position of its line in the standings.
CREATE TABLE unheard_tournament_ends (
    bot text COLLATE "C" NOT NULL,
    tournament_id uuid NOT NULL REFERENCES tournaments,
    position bigint NOT NULL,
    PRIMARY KEY (bot, tournament_id)
);

CREATE TABLE matches (
    id uuid PRIMARY KEY,
    created_at_us bigint NOT NULL,
    tournament_id uuid,
    -- A match that was voided has none any more: that is for the match that is played in its place.
    number bigint,
    group_number bigint,
    setup jsonb NOT NULL,
    -- By seat: the versions that sat there, as the wire has them; null where no bot said any.
    seat_versions jsonb,
    -- The first row of the journal that may have events of the match.
    journal_from bigint NOT NULL,
    plies bigint,
    reason text CHECK (reason IN ('finished', 'ply_limit', 'all_forfeited', 'cancelled')),
    winner bigint,
    over_at_us bigint,
    head_hash bytea CHECK (length(head_hash) = 32),
    signer bytea CHECK (length(signer) = 32),
    signature bytea CHECK (length(signature) = 64),
    -- The damage that was found in the record of a match that was not over: the match is quarantined, and counts for nobody.
    damage text,
    void_reason text,
    -- When the events of a match that is over were removed; null while they are kept.
    pruned_at_us bigint,
    UNIQUE (tournament_id, number)
);
CREATE INDEX matches_unfinished ON matches (id) WHERE over_at_us IS NULL;
CREATE INDEX matches_by_tournament ON matches (tournament_id, id) WHERE tournament_id IS NOT NULL;
-- What could be removed next, from the oldest on, in all and of a tournament, and how many of the newest are kept.
CREATE INDEX matches_with_records ON matches (id) WHERE pruned_at_us IS NULL;
CREATE INDEX matches_with_records_by_tournament ON matches (tournament_id, id)
    WHERE pruned_at_us IS NULL AND over_at_us IS NOT NULL AND tournament_id IS NOT NULL;
-- What lists of matches look for: the reason of the end, and matches that do not count.
CREATE INDEX matches_by_reason ON matches (reason, id) WHERE reason IS NOT NULL;
CREATE INDEX matches_voided ON matches (id) WHERE void_reason IS NOT NULL;
CREATE INDEX matches_quarantined ON matches (id) WHERE damage IS NOT NULL;

-- The figures are those of the audit; none before the match is over, nor where it was cancelled.
CREATE TABLE seats (
    match_id uuid NOT NULL REFERENCES matches,
    seat bigint NOT NULL,
    bot text COLLATE "C" NOT NULL,
    lost text CHECK (lost IN ('no_show', 'forfeited')),
    rank_actual bigint,
    regret bigint,
    luck bigint,
    plies bigint,
    optimal_plies bigint,
    PRIMARY KEY (match_id, seat)
);
CREATE INDEX seats_by_bot ON seats (bot, match_id);
-- The seats that a bot has lost are few among all that it had.
CREATE INDEX seats_lost ON seats (bot, match_id) WHERE lost IS NOT NULL;

-- What one write decided: events of many matches, as `event_bytes.rs` sets them out. A row goes when all of them are in parts.
-- Rows come and go all the time: room is made for new ones without waiting for a share of the table.
CREATE TABLE journal (
    id bigint PRIMARY KEY,
    events bytea NOT NULL
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
    toast.autovacuum_vacuum_threshold = 10000, toast.autovacuum_vacuum_scale_factor = 0);
-- Bytes that change all the time gain nothing from compression.
ALTER TABLE journal ALTER COLUMN events SET STORAGE EXTERNAL;

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

-- What was published of the transcripts of language models, by question; ply -1 is the question for the row.
CREATE TABLE transcripts (
    match_id uuid NOT NULL REFERENCES matches,
    seat bigint NOT NULL,
    ply bigint NOT NULL CHECK (ply >= -1),
    published_at_us bigint NOT NULL,
    lines text NOT NULL,
    PRIMARY KEY (match_id, seat, ply)
);
