-- Times are microseconds since 1970-01-01 UTC, in columns that end in _at_us; spans end in _us.

-- One row: the version of these tables, and the number of the server that owns them. Every server that opens the
-- database raises the epoch, and one whose epoch is gone writes no more.
CREATE TABLE server (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    schema_version INTEGER NOT NULL,
    epoch INTEGER NOT NULL
) STRICT;

CREATE TABLE bots (
    name TEXT PRIMARY KEY,
    registered_at_us INTEGER NOT NULL,
    token_hash BLOB NOT NULL CHECK (length(token_hash) = 32)
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
    total INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX tournaments_unfinished ON tournaments (id) WHERE over_at_us IS NULL;

CREATE TABLE entrants (
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    place INTEGER NOT NULL,
    bot TEXT NOT NULL,
    PRIMARY KEY (tournament_id, place),
    UNIQUE (tournament_id, bot)
) STRICT, WITHOUT ROWID;

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
    PRIMARY KEY (tournament_id, position)
) STRICT, WITHOUT ROWID;

-- The key stands for the id in the tables of events, where it is short.
CREATE TABLE matches (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    created_at_us INTEGER NOT NULL,
    tournament_id TEXT,
    number INTEGER,
    group_number INTEGER,
    setup TEXT NOT NULL CHECK (json_valid(setup)),
    plies INTEGER,
    reason TEXT CHECK (reason IN ('finished', 'ply_limit', 'all_forfeited', 'cancelled')),
    winner INTEGER,
    over_at_us INTEGER,
    head_hash BLOB CHECK (length(head_hash) = 32),
    signer BLOB CHECK (length(signer) = 32),
    signature BLOB CHECK (length(signature) = 64),
    -- The ids of its events in the log, in their order; of a match that is not over, those before `unlisted_from`.
    event_ids TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(event_ids)),
    -- Further events of the match have this id or a higher one; null once it is over.
    unlisted_from INTEGER,
    UNIQUE (tournament_id, number)
) STRICT;
CREATE INDEX matches_unfinished ON matches (id) WHERE over_at_us IS NULL;
CREATE INDEX matches_unlisted ON matches (unlisted_from) WHERE unlisted_from IS NOT NULL;
CREATE INDEX matches_by_tournament ON matches (tournament_id, id) WHERE tournament_id IS NOT NULL;

-- The figures are those of the audit; none before the match is over, nor where it was cancelled.
CREATE TABLE seats (
    match_id TEXT NOT NULL REFERENCES matches (id),
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

-- Events in the order in which they were committed: to append touches few pages, whatever the matches.
CREATE TABLE event_log (
    id INTEGER PRIMARY KEY,
    match_key INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at_us INTEGER NOT NULL,
    kind TEXT NOT NULL,
    seat INTEGER,
    ply INTEGER,
    take INTEGER,
    steward INTEGER,
    charged_us INTEGER,
    lag_us INTEGER,
    reason TEXT,
    winner INTEGER,
    detail TEXT,
    hash BLOB NOT NULL
) STRICT;

-- Events by match. Those of one match are found by their ids.
CREATE VIEW events AS
    SELECT matches.id AS match_id, seq, at_us, kind, seat, ply, take, steward, charged_us, lag_us,
        event_log.reason AS reason, event_log.winner AS winner, detail, hash
    FROM matches CROSS JOIN json_each(event_ids) AS place CROSS JOIN event_log ON event_log.id = place.value
    UNION ALL
    SELECT matches.id AS match_id, seq, at_us, kind, seat, ply, take, steward, charged_us, lag_us,
        event_log.reason AS reason, event_log.winner AS winner, detail, hash
    FROM matches CROSS JOIN event_log ON event_log.id >= unlisted_from AND match_key = key
    WHERE unlisted_from IS NOT NULL;
