-- When a turn is to be forgotten by itself (microseconds since 1970 UTC), and which parts of its text repeat what had
-- been recalled: a list of start, end and the id of the turn that said it first.
ALTER TABLE turn ADD COLUMN expires INTEGER;
ALTER TABLE turn ADD COLUMN echoes TEXT;
CREATE INDEX turn_by_expiry ON turn (expires) WHERE expires IS NOT NULL;

-- What was changed, by whom, when and why. Entries are added and never taken away; what was forgotten is blotted out of
-- them. An entry with a key is there once, however often what it tells of is done again.
CREATE TABLE log (
    number INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    by     TEXT NOT NULL,
    verb   TEXT NOT NULL,
    target TEXT NOT NULL,
    why    TEXT,
    before TEXT,
    after  TEXT,
    link   TEXT,
    key    TEXT
);
CREATE INDEX log_by_target ON log (target);
CREATE INDEX log_by_link ON log (link) WHERE link IS NOT NULL;
CREATE UNIQUE INDEX log_by_key ON log (key) WHERE key IS NOT NULL;
CREATE TRIGGER log_only_grows BEFORE DELETE ON log BEGIN
    SELECT RAISE(ABORT, 'entries of the log are not taken away');
END;
