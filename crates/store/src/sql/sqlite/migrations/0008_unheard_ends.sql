-- All matches of the bot up to this one, in the order of their ids, are over, and it has heard of their ends. What was over
-- before there was this column counts as heard.
ALTER TABLE bots ADD COLUMN ends_heard TEXT;
UPDATE bots SET ends_heard = (
    SELECT max(id) FROM matches
    WHERE id < coalesce((SELECT min(id) FROM matches WHERE over_at_us IS NULL), '~'));

-- Ends of tournaments that a bot has not confirmed to have heard, and the position of its line in the standings.
CREATE TABLE unheard_tournament_ends (
    bot TEXT NOT NULL,
    tournament_id TEXT NOT NULL REFERENCES tournaments,
    position INTEGER NOT NULL,
    PRIMARY KEY (bot, tournament_id)
) STRICT, WITHOUT ROWID;
