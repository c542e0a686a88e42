-- The server that owns a tournament with its matches, or an exhibition: its epoch. Of a match of a tournament it is null.
ALTER TABLE tournaments ADD COLUMN owner_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE matches ADD COLUMN owner_epoch INTEGER;
-- How often somebody has taken something of this from its owner.
ALTER TABLE server ADD COLUMN claims INTEGER NOT NULL DEFAULT 0;
