-- Times are microseconds since 1970-01-01 UTC, in columns that end in _at_us; spans end in _us.

-- One row: the version of these tables, and the number of the server that owns them. Every server that opens the
-- database raises the epoch, and one whose epoch is gone writes no more.
CREATE TABLE server (
    id integer PRIMARY KEY CHECK (id = 1),
    schema_version bigint NOT NULL,
    epoch bigint NOT NULL
);

-- Names are compared byte by byte, as the server compares them.
CREATE TABLE bots (
    name text COLLATE "C" PRIMARY KEY,
    registered_at_us bigint NOT NULL,
    token_hash bytea NOT NULL CHECK (length(token_hash) = 32)
);

CREATE TABLE tournaments (
    id uuid PRIMARY KEY,
    created_at_us bigint NOT NULL,
    title text NOT NULL,
    seed numeric(20) NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'running', 'finished', 'cancelled')),
    settings jsonb NOT NULL,
    over_at_us bigint,
    played bigint,
    total bigint
);
CREATE INDEX tournaments_unfinished ON tournaments (id) WHERE over_at_us IS NULL;

CREATE TABLE entrants (
    tournament_id uuid NOT NULL REFERENCES tournaments,
    place integer NOT NULL,
    bot text COLLATE "C" NOT NULL,
    PRIMARY KEY (tournament_id, place),
    UNIQUE (tournament_id, bot)
);

CREATE TABLE standings (
    tournament_id uuid NOT NULL REFERENCES tournaments,
    position integer NOT NULL,
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
    PRIMARY KEY (tournament_id, position)
);

CREATE TABLE matches (
    id uuid PRIMARY KEY,
    created_at_us bigint NOT NULL,
    tournament_id uuid,
    number bigint,
    group_number bigint,
    setup jsonb NOT NULL,
    plies integer,
    reason text CHECK (reason IN ('finished', 'ply_limit', 'all_forfeited', 'cancelled')),
    winner smallint,
    over_at_us bigint,
    head_hash bytea CHECK (length(head_hash) = 32),
    signer bytea CHECK (length(signer) = 32),
    signature bytea CHECK (length(signature) = 64),
    UNIQUE (tournament_id, number)
);
CREATE INDEX matches_unfinished ON matches (id) WHERE over_at_us IS NULL;
CREATE INDEX matches_by_tournament ON matches (tournament_id, id) WHERE tournament_id IS NOT NULL;

-- The figures are those of the audit; none before the match is over, nor where it was cancelled.
CREATE TABLE seats (
    match_id uuid NOT NULL REFERENCES matches (id),
    seat smallint NOT NULL,
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

CREATE TABLE events (
    match_id uuid NOT NULL,
    seq integer NOT NULL,
    at_us bigint NOT NULL,
    kind text NOT NULL,
    seat smallint,
    ply bigint,
    take bigint,
    steward boolean,
    charged_us bigint,
    lag_us bigint,
    reason text,
    winner smallint,
    detail jsonb,
    hash bytea NOT NULL,
    PRIMARY KEY (match_id, seq)
);
