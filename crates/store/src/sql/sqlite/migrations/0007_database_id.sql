-- The name that no other database has; the file beside the database says which one belongs there.
ALTER TABLE server ADD COLUMN database_id TEXT;
