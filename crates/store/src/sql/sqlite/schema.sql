-- Times are microseconds since 1970-01-01 UTC, in columns that end in _at_us; spans end in _us. A column that may be null says so in its
-- check of JSON: in SQLite before 3.41 json_valid(NULL) is 0.

-- One row: the version of these tables, the number of the server that owns them, and the id that no other database has, which the file beside
-- the database names. Every server that opens the database raises the epoch, and one whose epoch is gone writes no more.
CREATE TABLE server (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    schema_version INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    database_id TEXT NOT NULL
) STRICT;

CREATE TABLE bots (
    name TEXT PRIMARY KEY,
    registered_at_us INTEGER NOT NULL,
    token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
    -- All matches of the bot up to this one, in the order of their ids, are over, and it has heard of their ends.
    ends_heard TEXT
) STRICT, WITHOUT ROWID;

-- The versions that a bot said at the start of its sessions, those that were seen last. What it did not say is empty.
CREATE TABLE bot_versions (
    bot TEXT NOT NULL,
    version TEXT NOT NULL,
    config_hash BLOB NOT NULL CHECK (length(config_hash) IN (0, 32)),
    first_seen_at_us INTEGER NOT NULL,
    last_seen_at_us INTEGER NOT NULL,
    PRIMARY KEY (bot, version, config_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE tournaments (
    id TEXT PRIMARY KEY,
    created_at_us INTEGER NOT NULL,
    title TEXT NOT NULL,
    -- A text, for it may be above the largest integer of SQLite.
    seed TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'running', 'finished', 'cancelled')),
    settings TEXT NOT NULL CHECK (json_valid(settings)),
    over_at_us INTEGER,
    played INTEGER,
    total INTEGER,
    -- What the format says besides the standings; null where it says nothing.
    verdict TEXT CHECK (verdict IS NULL OR json_valid(verdict))
) STRICT, WITHOUT ROWID;
CREATE INDEX tournaments_unfinished ON tournaments (id) WHERE over_at_us IS NULL;

CREATE TABLE entrants (
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    place INTEGER NOT NULL,
    bot TEXT NOT NULL,
    PRIMARY KEY (tournament_id, place),
    UNIQUE (tournament_id, bot)
) STRICT, WITHOUT ROWID;

-- Bots that entered or left a tournament while it ran, in the order in which they did; those of its start are its entrants.
CREATE TABLE field_changes (
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    seq INTEGER NOT NULL,
    -- The first round that it is for.
    round INTEGER NOT NULL,
    bot TEXT NOT NULL,
    movement TEXT NOT NULL CHECK (movement IN ('enters', 'leaves')),
    PRIMARY KEY (tournament_id, seq)
) STRICT, WITHOUT ROWID;

-- What organisers did to tournaments that ran, in its order: each is proto JSON of a TournamentEvent.
CREATE TABLE tournament_events (
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL CHECK (json_valid(event)),
    PRIMARY KEY (tournament_id, seq)
) STRICT, WITHOUT ROWID;

-- What a tournament that is not over had come to when its newest checkpoint was written. Derived data: without it, all
-- results are counted again.
CREATE TABLE checkpoints (
    tournament_id TEXT NOT NULL PRIMARY KEY REFERENCES tournaments,
    -- Of the code that wrote it.
    version INTEGER NOT NULL,
    -- All matches of lower numbers are counted, and some of higher ones.
    upto INTEGER NOT NULL,
    state BLOB NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TABLE standings (
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    position INTEGER NOT NULL,
    place INTEGER NOT NULL,
    bot TEXT NOT NULL,
    points REAL NOT NULL,
    matches INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    satisfaction REAL,
    accuracy REAL,
    regret_per_match REAL,
    luck_per_match REAL,
    forfeits INTEGER NOT NULL,
    no_shows INTEGER NOT NULL,
    -- Null of bots that never showed up.
    rating REAL,
    rating_low REAL,
    rating_high REAL,
    rating_island INTEGER,
    rating_measure TEXT,
    -- Of tournaments in which two play a match.
    elo REAL,
    skill REAL,
    skill_low REAL,
    skill_high REAL,
    -- The versions of the bot that played, as the wire has them; null where it never said any.
    versions TEXT CHECK (versions IS NULL OR json_valid(versions)),
    disqualified INTEGER NOT NULL,
    PRIMARY KEY (tournament_id, position)
) STRICT, WITHOUT ROWID;

-- Ends of tournaments that a bot has not confirmed to have heard, and the position of its line in the standings.
CREATE TABLE unheard_tournament_ends (
    bot TEXT NOT NULL,
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    position INTEGER NOT NULL,
    PRIMARY KEY (bot, tournament_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE matches (
    id TEXT NOT NULL PRIMARY KEY,
    created_at_us INTEGER NOT NULL,
    tournament_id TEXT,
    -- A match that was voided has none any more: that is for the match that is played in its place.
    number INTEGER,
    group_number INTEGER,
    setup TEXT NOT NULL CHECK (json_valid(setup)),
    -- By seat: the versions that sat there, as the wire has them; null where no bot said any.
    seat_versions TEXT CHECK (seat_versions IS NULL OR json_valid(seat_versions)),
    -- The first row of the journal that may have events of the match.
    journal_from INTEGER NOT NULL,
    plies INTEGER,
    reason TEXT CHECK (reason IN ('finished', 'ply_limit', 'all_forfeited', 'cancelled')),
    winner INTEGER,
    over_at_us INTEGER,
    head_hash BLOB CHECK (length(head_hash) = 32),
    signer BLOB CHECK (length(signer) = 32),
    signature BLOB CHECK (length(signature) = 64),
    -- The damage that was found in the record of a match that was not over: the match is quarantined, and counts for nobody.
    damage TEXT,
    void_reason TEXT,
    -- When the events of a match that is over were removed; null while they are kept.
    pruned_at_us INTEGER,
    UNIQUE (tournament_id, number)
) STRICT;
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
    match_id TEXT NOT NULL REFERENCES matches,
    seat INTEGER NOT NULL,
    bot TEXT NOT NULL,
    lost TEXT CHECK (lost IN ('no_show', 'forfeited')),
    rank_actual INTEGER,
    regret INTEGER,
    luck INTEGER,
    plies INTEGER,
    optimal_plies INTEGER,
    PRIMARY KEY (match_id, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX seats_by_bot ON seats (bot, match_id);
-- The seats that a bot has lost are few among all that it had.
CREATE INDEX seats_lost ON seats (bot, match_id) WHERE lost IS NOT NULL;

-- What one write decided: events of many matches, as `event_bytes.rs` sets them out. A row goes when all of them are in parts.
CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    events BLOB NOT NULL
) STRICT;

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

-- What was published of the transcripts of language models, by question; ply -1 is the question for the row.
CREATE TABLE transcripts (
    match_id TEXT NOT NULL REFERENCES matches,
    seat INTEGER NOT NULL,
    ply INTEGER NOT NULL CHECK (ply >= -1),
    published_at_us INTEGER NOT NULL,
    lines TEXT NOT NULL,
    PRIMARY KEY (match_id, seat, ply)
) STRICT;
