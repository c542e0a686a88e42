-- All matches of the bot up to this one, in the order of their ids, are over, and it has heard of their ends. What was over
-- before there was this column counts as heard.
ALTER TABLE bots ADD COLUMN ends_heard uuid;
UPDATE bots SET ends_heard = (
    SELECT id FROM matches
    WHERE id < coalesce(
        (SELECT id FROM matches WHERE over_at_us IS NULL ORDER BY id LIMIT 1), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    ORDER BY id DESC LIMIT 1);

-- Ends of tournaments that a bot has not confirmed to have heard, and the position of its line in the standings.
CREATE TABLE unheard_tournament_ends (
    bot text COLLATE "C" NOT NULL,
    tournament_id uuid NOT NULL REFERENCES tournaments,
    position integer NOT NULL,
    PRIMARY KEY (bot, tournament_id)
);
