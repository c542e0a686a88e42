-- Times are microseconds since 1970-01-01 UTC in columns that end in _at_us; durations end in _us.

-- One row: the version of these tables, the epoch of their owner, and the number of its newest commit. Each server that
-- opens the database raises the epoch; a server with an older epoch stops writing. Each commit raises the number by one: a
-- replica that lacks the newest commits has a lower number. The owner describes itself in `holder`, for a server that waits
-- for the database.
CREATE TABLE server (
    id bigint PRIMARY KEY CHECK (id = 1),
    schema_version bigint NOT NULL,
    epoch bigint NOT NULL,
    commit_number bigint NOT NULL DEFAULT 0,
    holder text NOT NULL
);

-- One row: the latest time that a server has seen. It is written at the start and end of a server, and every ten minutes.
CREATE TABLE clock (
    id bigint PRIMARY KEY CHECK (id = 1),
    latest_at_us bigint NOT NULL
);

-- A server started while its clock was implausibly far ahead of that time. The difference, `length_us`, does not count
-- as age.
CREATE TABLE clock_jumps (
    found_at_us bigint PRIMARY KEY,
    length_us bigint NOT NULL
);

-- Names are compared byte by byte, as in the server.
CREATE TABLE bots (
    name text COLLATE "C" PRIMARY KEY,
    registered_at_us bigint NOT NULL,
    token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
    -- What the people who registered it say about it; may be empty.
    team text NOT NULL,
    author text NOT NULL,
    link text NOT NULL,
    -- The bot has acknowledged the ends of all its matches up to this id; all of these are over.
    ends_heard uuid
);

-- The versions that a bot reported at the start of its sessions, most recent ones only. Empty fields were not reported.
CREATE TABLE bot_versions (
    bot text COLLATE "C" NOT NULL,
    version text COLLATE "C" NOT NULL,
    config_hash bytea NOT NULL CHECK (length(config_hash) IN (0, 32)),
    first_seen_at_us bigint NOT NULL,
    last_seen_at_us bigint NOT NULL,
    -- Of two versions of a bot, the one that was seen last has the greater number.
    seen bigint NOT NULL,
    PRIMARY KEY (bot, version, config_hash)
);

CREATE TABLE tournaments (
    id uuid PRIMARY KEY,
    created_at_us bigint NOT NULL,
    title text NOT NULL,
    -- Text, since it may exceed the largest bigint.
    seed text NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'running', 'finished', 'cancelled')),
    settings jsonb NOT NULL,
    over_at_us bigint,
    played bigint,
    total bigint,
    -- The result that the format adds to the standings; null if there is none.
    verdict jsonb,
    -- The secret from which rows are dealt; null if no rows are dealt.
    deal_secret bytea CHECK (length(deal_secret) = 32),
    -- The hash of the entry code, and how many more bots may be registered with it; null if there is no code.
    entry_code_hash bytea CHECK (length(entry_code_hash) = 32),
    entry_code_uses bigint CHECK ((entry_code_uses IS NULL) = (entry_code_hash IS NULL))
);
CREATE INDEX tournaments_unfinished ON tournaments (id) WHERE over_at_us IS NULL;

CREATE TABLE entrants (
    tournament_id uuid NOT NULL REFERENCES tournaments,
    place bigint NOT NULL,
    bot text COLLATE "C" NOT NULL,
    PRIMARY KEY (tournament_id, place),
    UNIQUE (tournament_id, bot)
);

-- Bots that entered or left a running tournament, in order; the bots at the start are in entrants.
CREATE TABLE field_changes (
    tournament_id uuid NOT NULL REFERENCES tournaments,
    seq bigint NOT NULL,
    -- The first round that it applies to.
    round bigint NOT NULL,
    bot text COLLATE "C" NOT NULL,
    movement text NOT NULL CHECK (movement IN ('enters', 'leaves')),
    PRIMARY KEY (tournament_id, seq)
);

-- Interventions of organisers in running tournaments, in order, each as proto JSON of a TournamentEvent.
CREATE TABLE tournament_events (
    tournament_id uuid NOT NULL REFERENCES tournaments,
    seq bigint NOT NULL,
    event jsonb NOT NULL,
    PRIMARY KEY (tournament_id, seq)
);

-- The state of an unfinished tournament at its newest checkpoint. Derived data: without it, all results are counted
-- again.
CREATE TABLE checkpoints (
    tournament_id uuid PRIMARY KEY REFERENCES tournaments,
    -- The version of the checkpoint format.
    version bigint NOT NULL,
    -- All matches below this number are counted, and some above it.
    upto bigint NOT NULL,
    state bytea NOT NULL,
    hash bytea NOT NULL CHECK (length(hash) = 32)
);

CREATE TABLE standings (
    tournament_id uuid NOT NULL REFERENCES tournaments,
    position bigint NOT NULL,
    place bigint NOT NULL,
    -- Null if the ratings leave the places open.
    place_best bigint,
    place_worst bigint,
    -- Null if no tie-break was needed.
    tie_break text,
    bot text COLLATE "C" NOT NULL,
    points double precision NOT NULL,
    matches bigint NOT NULL,
    wins bigint NOT NULL,
    satisfaction double precision,
    -- For tournaments with dealt rows.
    relative_satisfaction double precision,
    accuracy double precision,
    regret_per_match double precision,
    luck_per_match double precision,
    forfeits bigint NOT NULL,
    no_shows bigint NOT NULL,
    -- Null for bots that never showed up.
    rating double precision,
    rating_low double precision,
    rating_high double precision,
    rating_island bigint,
    rating_measure text,
    -- For tournaments with two seats.
    elo double precision,
    skill double precision,
    skill_low double precision,
    skill_high double precision,
    -- The versions of the bot that played, as on the wire; null if none was reported.
    versions jsonb,
    disqualified bigint NOT NULL,
    withdrawn bigint NOT NULL,
    PRIMARY KEY (tournament_id, position)
);

-- Ends of tournaments that a bot has not acknowledged, and the position of its line in the standings.
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
    -- Null for a voided match: its replacement has the number.
    number bigint,
    group_number bigint,
    setup jsonb NOT NULL,
    -- By seat: the versions that played, as on the wire; null if no bot reported any.
    seat_versions jsonb,
    -- The first journal row that may have events of the match.
    journal_from bigint NOT NULL,
    plies bigint,
    reason text CHECK (reason IN ('finished', 'ply_limit', 'all_forfeited', 'cancelled')),
    winner bigint,
    over_at_us bigint,
    head_hash bytea CHECK (length(head_hash) = 32),
    signer bytea CHECK (length(signer) = 32),
    signature bytea CHECK (length(signature) = 64),
    -- The damage found in the record of an unfinished match, which is quarantined and does not count.
    damage text,
    void_reason text,
    -- When the events of a finished match were removed; null while they are kept.
    pruned_at_us bigint,
    UNIQUE (tournament_id, number)
);
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
    match_id uuid NOT NULL REFERENCES matches,
    seat bigint NOT NULL,
    bot text COLLATE "C" NOT NULL,
    lost text CHECK (lost IN ('no_show', 'forfeited')),
    rank_actual bigint,
    -- For matches with dealt rows.
    rank_honest bigint,
    regret bigint,
    luck bigint,
    plies bigint,
    optimal_plies bigint,
    PRIMARY KEY (match_id, seat)
);
CREATE INDEX seats_by_bot ON seats (bot, match_id);
-- Lost seats are few among all seats of a bot.
CREATE INDEX seats_lost ON seats (bot, match_id) WHERE lost IS NOT NULL;

-- One row per write: events of many matches in the format of `event_bytes.rs`. A row is removed once all its events are
-- in record parts. Rows change constantly, so vacuum runs early, whatever the share of dead rows.
CREATE TABLE journal (
    id bigint PRIMARY KEY,
    events bytea NOT NULL
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
    toast.autovacuum_vacuum_threshold = 10000, toast.autovacuum_vacuum_scale_factor = 0);
-- Short-lived bytes are not worth compressing.
ALTER TABLE journal ALTER COLUMN events SET STORAGE EXTERNAL;

-- Consecutive events of one match: from index `seq` of its record to before `next_seq`. Here are all events of a
-- finished match, and all but the newest of an unfinished one.
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

-- Published transcripts of language models, by question; ply -1 is the question for the row.
CREATE TABLE transcripts (
    match_id uuid NOT NULL REFERENCES matches,
    seat bigint NOT NULL,
    ply bigint NOT NULL CHECK (ply >= -1),
    published_at_us bigint NOT NULL,
    lines text NOT NULL,
    PRIMARY KEY (match_id, seat, ply)
);

-- Requests whose callers may repeat them, and what each created. Old rows are deleted.
CREATE TABLE requests (
    -- The newest request has the greatest id.
    id bigint PRIMARY KEY,
    -- The calling bot; empty for an admin.
    caller text COLLATE "C" NOT NULL,
    request_id text COLLATE "C" NOT NULL,
    request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
    tournament_id uuid,
    match_id uuid,
    at_us bigint NOT NULL,
    UNIQUE (caller, request_id),
    CHECK ((tournament_id IS NULL) <> (match_id IS NULL))
);
CREATE INDEX requests_by_time ON requests (at_us);
