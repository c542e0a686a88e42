-- Times are microseconds since 1970-01-01 UTC in columns that end in _at_us; durations end in _us. JSON checks allow
-- null explicitly: before SQLite 3.41, json_valid(NULL) is 0.

-- One row: the version of these tables, the epoch of their owner, and the unique database id, which is also in the id
-- file beside the database. Each server that opens the database raises the epoch; a server with an older epoch stops
-- writing. `commit_number` is the number of the newest commit; a commit that only adds a row to the journal has no number.
CREATE TABLE server (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    schema_version INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    database_id TEXT NOT NULL,
    commit_number INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One row: the latest time that a server has seen. It is written at the start and end of a server, and every ten minutes.
CREATE TABLE clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    latest_at_us INTEGER NOT NULL
) STRICT;

-- A server started while its clock was implausibly far ahead of that time. The difference, `length_us`, does not count
-- as age.
CREATE TABLE clock_jumps (
    found_at_us INTEGER PRIMARY KEY,
    length_us INTEGER NOT NULL
) STRICT;

CREATE TABLE bots (
    name TEXT PRIMARY KEY,
    registered_at_us INTEGER NOT NULL,
    token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
    -- What the people who registered it say about it; may be empty.
    team TEXT NOT NULL,
    author TEXT NOT NULL,
    link TEXT NOT NULL,
    -- The bot has acknowledged the ends of all its matches up to this id; all of these are over.
    ends_heard TEXT
) STRICT, WITHOUT ROWID;

-- The versions that a bot reported at the start of its sessions, most recent ones only. Empty fields were not reported.
CREATE TABLE bot_versions (
    bot TEXT NOT NULL,
    version TEXT NOT NULL,
    config_hash BLOB NOT NULL CHECK (length(config_hash) IN (0, 32)),
    first_seen_at_us INTEGER NOT NULL,
    last_seen_at_us INTEGER NOT NULL,
    -- Of two versions of a bot, the one that was seen last has the greater number.
    seen INTEGER NOT NULL,
    PRIMARY KEY (bot, version, config_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE tournaments (
    id TEXT PRIMARY KEY,
    created_at_us INTEGER NOT NULL,
    title TEXT NOT NULL,
    -- Text, since it may exceed SQLite's largest integer.
    seed TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'running', 'finished', 'cancelled')),
    settings TEXT NOT NULL CHECK (json_valid(settings)),
    over_at_us INTEGER,
    played INTEGER,
    total INTEGER,
    -- The result that the format adds to the standings; null if there is none.
    verdict TEXT CHECK (verdict IS NULL OR json_valid(verdict)),
    -- The secret from which rows are dealt; null if no rows are dealt.
    deal_secret BLOB CHECK (length(deal_secret) = 32),
    -- The hash of the entry code, and how many more bots may be registered with it; null if there is no code.
    entry_code_hash BLOB CHECK (length(entry_code_hash) = 32),
    entry_code_uses INTEGER CHECK ((entry_code_uses IS NULL) = (entry_code_hash IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX tournaments_unfinished ON tournaments (id) WHERE over_at_us IS NULL;

CREATE TABLE entrants (
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    place INTEGER NOT NULL,
    bot TEXT NOT NULL,
    PRIMARY KEY (tournament_id, place),
    UNIQUE (tournament_id, bot)
) STRICT, WITHOUT ROWID;

-- Bots that entered or left a running tournament, in order; the bots at the start are in entrants.
CREATE TABLE field_changes (
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    seq INTEGER NOT NULL,
    -- The first round that it applies to.
    round INTEGER NOT NULL,
    bot TEXT NOT NULL,
    movement TEXT NOT NULL CHECK (movement IN ('enters', 'leaves')),
    PRIMARY KEY (tournament_id, seq)
) STRICT, WITHOUT ROWID;

-- Interventions of organisers in running tournaments, in order, each as proto JSON of a TournamentEvent.
CREATE TABLE tournament_events (
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    seq INTEGER NOT NULL,
    event TEXT NOT NULL CHECK (json_valid(event)),
    PRIMARY KEY (tournament_id, seq)
) STRICT, WITHOUT ROWID;

-- The state of an unfinished tournament at its newest checkpoint. Derived data: without it, all results are counted
-- again.
CREATE TABLE checkpoints (
    tournament_id TEXT NOT NULL PRIMARY KEY REFERENCES tournaments,
    -- The version of the checkpoint format.
    version INTEGER NOT NULL,
    -- All matches below this number are counted, and some above it.
    upto INTEGER NOT NULL,
    state BLOB NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TABLE standings (
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    position INTEGER NOT NULL,
    place INTEGER NOT NULL,
    -- Null if the ratings leave the places open.
    place_best INTEGER,
    place_worst INTEGER,
    -- Null if no tie-break was needed.
    tie_break TEXT,
    bot TEXT NOT NULL,
    points REAL NOT NULL,
    matches INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    satisfaction REAL,
    -- For tournaments with dealt rows.
    relative_satisfaction REAL,
    accuracy REAL,
    regret_per_match REAL,
    luck_per_match REAL,
    forfeits INTEGER NOT NULL,
    no_shows INTEGER NOT NULL,
    -- Null for bots that never showed up.
    rating REAL,
    rating_low REAL,
    rating_high REAL,
    rating_island INTEGER,
    rating_measure TEXT,
    -- For tournaments with two seats.
    elo REAL,
    skill REAL,
    skill_low REAL,
    skill_high REAL,
    -- The versions of the bot that played, as on the wire; null if none was reported.
    versions TEXT CHECK (versions IS NULL OR json_valid(versions)),
    disqualified INTEGER NOT NULL,
    withdrawn INTEGER NOT NULL,
    PRIMARY KEY (tournament_id, position)
) STRICT, WITHOUT ROWID;

-- Ends of tournaments that a bot has not acknowledged, and the position of its line in the standings.
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
    -- Null for a voided match: its replacement has the number.
    number INTEGER,
    group_number INTEGER,
    setup TEXT NOT NULL CHECK (json_valid(setup)),
    -- By seat: the versions that played, as on the wire; null if no bot reported any.
    seat_versions TEXT CHECK (seat_versions IS NULL OR json_valid(seat_versions)),
    -- The first journal row that may have events of the match.
    journal_from INTEGER NOT NULL,
    plies INTEGER,
    reason TEXT CHECK (reason IN ('finished', 'ply_limit', 'all_forfeited', 'cancelled')),
    winner INTEGER,
    over_at_us INTEGER,
    head_hash BLOB CHECK (length(head_hash) = 32),
    signer BLOB CHECK (length(signer) = 32),
    signature BLOB CHECK (length(signature) = 64),
    -- The damage found in the record of an unfinished match, which is quarantined and does not count.
    damage TEXT,
    void_reason TEXT,
    -- When the events of a finished match were removed; null while they are kept.
    pruned_at_us INTEGER,
    UNIQUE (tournament_id, number)
) STRICT;
CREATE INDEX matches_unfinished ON matches (id) WHERE over_at_us IS NULL;
CREATE INDEX matches_by_tournament ON matches (tournament_id, id) WHERE tournament_id IS NOT NULL;
-- The oldest matches with records, in total and by tournament, for pruning; also counts the newest ones to keep.
CREATE INDEX matches_with_records ON matches (id) WHERE pruned_at_us IS NULL;
CREATE INDEX matches_with_records_by_tournament ON matches (tournament_id, id)
    WHERE pruned_at_us IS NULL AND over_at_us IS NOT NULL AND tournament_id IS NOT NULL;
-- For lists of matches by end reason, and of matches that do not count.
CREATE INDEX matches_by_reason ON matches (reason, id) WHERE reason IS NOT NULL;
CREATE INDEX matches_voided ON matches (id) WHERE void_reason IS NOT NULL;
CREATE INDEX matches_quarantined ON matches (id) WHERE damage IS NOT NULL;

-- The audit's figures; null before the match is over, and if it was cancelled.
CREATE TABLE seats (
    match_id TEXT NOT NULL REFERENCES matches,
    seat INTEGER NOT NULL,
    bot TEXT NOT NULL,
    lost TEXT CHECK (lost IN ('no_show', 'forfeited')),
    rank_actual INTEGER,
    -- For matches with dealt rows.
    rank_honest INTEGER,
    regret INTEGER,
    luck INTEGER,
    plies INTEGER,
    optimal_plies INTEGER,
    PRIMARY KEY (match_id, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX seats_by_bot ON seats (bot, match_id);
-- Lost seats are few among all seats of a bot.
CREATE INDEX seats_lost ON seats (bot, match_id) WHERE lost IS NOT NULL;

-- One row per write: events of many matches in the format of `event_bytes.rs`. A row is removed once all its events are
-- in record parts.
CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    events BLOB NOT NULL
) STRICT;

-- Consecutive events of one match: from index `seq` of its record to before `next_seq`. Here are all events of a
-- finished match, and all but the newest of an unfinished one.
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

-- Published transcripts of language models, by question; ply -1 is the question for the row.
CREATE TABLE transcripts (
    match_id TEXT NOT NULL REFERENCES matches,
    seat INTEGER NOT NULL,
    ply INTEGER NOT NULL CHECK (ply >= -1),
    published_at_us INTEGER NOT NULL,
    lines TEXT NOT NULL,
    PRIMARY KEY (match_id, seat, ply)
) STRICT;

-- Requests whose callers may repeat them, and what each created. Old rows are deleted.
CREATE TABLE requests (
    -- The newest request has the greatest id.
    id INTEGER PRIMARY KEY,
    -- The calling bot; empty for an admin.
    caller TEXT NOT NULL,
    request_id TEXT NOT NULL,
    request_hash BLOB NOT NULL CHECK (length(request_hash) = 32),
    tournament_id TEXT,
    match_id TEXT,
    at_us INTEGER NOT NULL,
    UNIQUE (caller, request_id),
    CHECK ((tournament_id IS NULL) <> (match_id IS NULL))
) STRICT;
CREATE INDEX requests_by_time ON requests (at_us);
