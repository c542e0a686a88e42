-- The seats that a bot has lost are few among all that it had.
CREATE INDEX seats_lost ON seats (bot, match_id) WHERE lost IS NOT NULL;
