-- One memory in one file.
CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
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

-- `said` is in microseconds since 1970 UTC, `said_offset` in minutes.
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
    metadata    TEXT
);
CREATE INDEX turn_by_block ON turn (block);
CREATE UNIQUE INDEX turn_by_message ON turn (message_id) WHERE message_id IS NOT NULL;

-- One byte a component, behind the four bytes of the row's scale.
CREATE TABLE vector (
    generation INTEGER NOT NULL,
    seq        INTEGER NOT NULL REFERENCES turn (seq) ON DELETE CASCADE,
    codes      BLOB NOT NULL,
    PRIMARY KEY (generation, seq)
) WITHOUT ROWID;
CREATE INDEX vector_by_turn ON vector (seq);
