-- What a rating is measured by; null is who won, as before there was anything else.
ALTER TABLE standings ADD COLUMN rating_measure TEXT;
