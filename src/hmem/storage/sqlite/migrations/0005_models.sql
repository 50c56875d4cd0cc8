-- What a language model read in turns. `number` only grows: a reading that is made anew or taken back gets the next one.
-- `first` and `last` are the turns between which lies all that the model was shown. A reading that was taken back, since
-- one of those was forgotten, has no content.
CREATE TABLE reading (
    seq     INTEGER PRIMARY KEY REFERENCES turn (seq) ON DELETE CASCADE,
    number  INTEGER NOT NULL,
    first   INTEGER NOT NULL,
    last    INTEGER NOT NULL,
    made_by TEXT NOT NULL,
    content BLOB
);
CREATE INDEX reading_by_number ON reading (number);

-- Turns that are being read, or that could not be read yet: how often it was tried, when it is to be tried again and
-- until when somebody holds them (microseconds since 1970 UTC). `given_up`: they are left to the rules.
CREATE TABLE work (
    seq      INTEGER PRIMARY KEY REFERENCES turn (seq) ON DELETE CASCADE,
    attempts INTEGER NOT NULL DEFAULT 0,
    due      INTEGER NOT NULL DEFAULT 0,
    holder   TEXT,
    until    INTEGER,
    error    TEXT,
    given_up INTEGER NOT NULL DEFAULT 0
);

-- What a language model wrote or judged, by a digest of what it was given. Without content it could not.
CREATE TABLE answer (
    digest  BLOB PRIMARY KEY,
    kind    TEXT NOT NULL,
    made_by TEXT NOT NULL,
    content BLOB
) WITHOUT ROWID;

-- What was spent on language models, by day (UTC), purpose and model. It tells nothing of what was said, and stays.
CREATE TABLE spending (
    day           TEXT NOT NULL,
    purpose       TEXT NOT NULL,
    model         TEXT NOT NULL,
    calls         INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost          REAL NOT NULL,
    failures      INTEGER NOT NULL,
    PRIMARY KEY (day, purpose, model)
) WITHOUT ROWID;
