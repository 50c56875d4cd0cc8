-- One memory in one file: the present schema.
CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    checksum INTEGER
) WITHOUT ROWID;

-- The last number that was given out. Sequence numbers and changes come from this one counter.
CREATE TABLE counter (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    value INTEGER NOT NULL
);
INSERT INTO counter VALUES (1, 0);

CREATE TABLE speaker (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE,
    role   TEXT
);

CREATE TABLE session (
    number INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE
);

-- A run of turns of one session. `filled` counts its turns and those since deleted; `changed` is its last change.
CREATE TABLE block (
    number  INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (number),
    filled  INTEGER NOT NULL,
    turns   INTEGER NOT NULL,
    changed INTEGER NOT NULL
);
CREATE INDEX block_by_session ON block (session);
CREATE INDEX block_by_change ON block (changed);

-- `said` is in microseconds since 1970 UTC, `said_offset` in minutes. `expires` is when a turn is to be forgotten by
-- itself, and `echoes` lists which parts of its text repeat what had been recalled: start, end, and the id of the turn
-- that said it first. `analysis` is the version of the analysis that counted its words: a count of another version is
-- made anew by whoever reads it. Checksums, here and below, are of what a row says: SQLite keeps none (`checksums.py`).
CREATE TABLE turn (
    seq         INTEGER PRIMARY KEY,
    key         BLOB NOT NULL UNIQUE,
    block       INTEGER NOT NULL REFERENCES block (number),
    session     INTEGER NOT NULL REFERENCES session (number),
    speaker     INTEGER NOT NULL REFERENCES speaker (number),
    said        INTEGER NOT NULL,
    said_offset INTEGER NOT NULL,
    words       INTEGER NOT NULL,
    text        TEXT NOT NULL,
    caption     TEXT,
    role        TEXT,
    attachments TEXT,
    user        TEXT,
    agent       TEXT,
    message_id  TEXT,
    metadata    TEXT,
    expires     INTEGER,
    echoes      TEXT,
    analysis    INTEGER NOT NULL DEFAULT 1,
    checksum    INTEGER
);
CREATE INDEX turn_by_block ON turn (block);
CREATE UNIQUE INDEX turn_by_message ON turn (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX turn_by_expiry ON turn (expires) WHERE expires IS NOT NULL;

-- One byte a component, behind the four bytes of the row's scale.
CREATE TABLE vector (
    seq        INTEGER NOT NULL REFERENCES turn (seq) ON DELETE CASCADE,
    generation INTEGER NOT NULL,
    codes      BLOB NOT NULL,
    checksum   INTEGER,
    PRIMARY KEY (seq, generation)
) WITHOUT ROWID;

-- Vectors of 256 sequence numbers in a row of their own: `number` is that of a vector's turn divided by 256. What lies
-- here takes a seventh less room than a row a vector, and is read many times as fast. Zeros stand for a missing one.
CREATE TABLE vector_run (
    number     INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    codes      BLOB NOT NULL,
    checksum   INTEGER,
    PRIMARY KEY (number, generation)
) WITHOUT ROWID;

-- What formation derives from the turns lies in the chunks of parts. Their content is formation's own affair.
CREATE TABLE part (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE
);

-- `place` is the part's number times 2^40, plus the chunk's. `step` counts what formation stored; a chunk that is
-- gone keeps its row, without content, so that other processes hear of it.
CREATE TABLE chunk (
    place   INTEGER PRIMARY KEY,
    step    INTEGER NOT NULL,
    content BLOB,
    checksum INTEGER
);
CREATE INDEX chunk_by_step ON chunk (step);

-- How often a turn was of use since it was written, and when it last was, in microseconds since 1970 UTC. `step` counts
-- the recordings, so that what is derived can ask what is new since the one that it knows.
CREATE TABLE turn_use (
    seq   INTEGER PRIMARY KEY REFERENCES turn (seq) ON DELETE CASCADE,
    uses  INTEGER NOT NULL,
    last  INTEGER NOT NULL,
    step  INTEGER NOT NULL
);
CREATE INDEX turn_use_by_step ON turn_use (step);

-- The last step of recording; it outlasts the turns that were deleted.
CREATE TABLE use_counter (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    value INTEGER NOT NULL
);
INSERT INTO use_counter VALUES (1, 0);

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
    key    TEXT,
    checksum INTEGER
);
CREATE INDEX log_by_target ON log (target);
CREATE INDEX log_by_link ON log (link) WHERE link IS NOT NULL;
CREATE UNIQUE INDEX log_by_key ON log (key) WHERE key IS NOT NULL;
CREATE TRIGGER log_only_grows BEFORE DELETE ON log BEGIN
    SELECT RAISE(ABORT, 'entries of the log are not taken away');
END;

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

-- What people said next after something was recalled, as far as a language model is still to judge whether it approves or
-- rejects that: the turn in which it was said, and what was recalled. Whatever is forgotten, all of it goes: it may
-- repeat what was forgotten. How often it was tried and who holds it is as in `work`.
CREATE TABLE reaction (
    seq      INTEGER PRIMARY KEY REFERENCES turn (seq) ON DELETE CASCADE,
    content  BLOB NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    due      INTEGER NOT NULL DEFAULT 0,
    holder   TEXT,
    until    INTEGER
);
