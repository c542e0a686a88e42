-- What earlier versions called "set aside" in settings and verdicts. A quotation mark inside of a text is escaped, so that no
-- title is taken for a key.
UPDATE tournaments SET settings = replace(settings::text, '"set_aside_after":', '"suspend_after":')::jsonb
    WHERE settings::text LIKE '%"set_aside_after":%';
UPDATE tournaments SET verdict = replace(replace(replace(verdict::text, '"set_aside":', '"suspended":'),
    '"SET_ASIDE_REASON_NEVER_CAME"', '"SUSPENSION_REASON_NEVER_CAME"'),
    '"SET_ASIDE_REASON_LOST_SEATS"', '"SUSPENSION_REASON_LOST_SEATS"')::jsonb
    WHERE verdict::text LIKE '%"set_aside":%';
