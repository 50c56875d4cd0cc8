-- A memory as schema 5 kept it. It is never edited: every later release must open it.
PRAGMA application_id = 1751999853;
PRAGMA user_version = 5;
BEGIN TRANSACTION;
CREATE TABLE answer (
    digest  BLOB PRIMARY KEY,
    kind    TEXT NOT NULL,
    made_by TEXT NOT NULL,
    content BLOB
) WITHOUT ROWID;
INSERT INTO "answer" VALUES(X'64646464646464646464646464646464','summary','openai:small/1',X'7772697474656E');
INSERT INTO "answer" VALUES(X'65656565656565656565656565656565','verdict','openai:small/1',NULL);
CREATE TABLE block (
    number  INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (number),
    filled  INTEGER NOT NULL,
    turns   INTEGER NOT NULL,
    changed INTEGER NOT NULL
);
INSERT INTO "block" VALUES(1,1,6,6,6);
INSERT INTO "block" VALUES(2,2,2,2,8);
CREATE TABLE chunk (
    place   INTEGER PRIMARY KEY,
    step    INTEGER NOT NULL,
    content BLOB
);
INSERT INTO "chunk" VALUES(1099511627776,1,X'006B657074');
CREATE TABLE counter (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    value INTEGER NOT NULL
);
INSERT INTO "counter" VALUES(1,8);
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
INSERT INTO "log" VALUES(1,1,'Maria','retract','turn_1','a slip',NULL,NULL,NULL,NULL);
CREATE TABLE part (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE
);
INSERT INTO "part" VALUES(1,'notes');
CREATE TABLE reading (
    seq     INTEGER PRIMARY KEY REFERENCES turn (seq) ON DELETE CASCADE,
    number  INTEGER NOT NULL,
    first   INTEGER NOT NULL,
    last    INTEGER NOT NULL,
    made_by TEXT NOT NULL,
    content BLOB
);
INSERT INTO "reading" VALUES(1,1,1,2,'openai:small/1',X'73616964206F6E65');
INSERT INTO "reading" VALUES(2,4,1,2,'openai:small/1',NULL);
INSERT INTO "reading" VALUES(3,3,3,3,'openai:old/1',X'73616964207468726565');
CREATE TABLE session (
    number INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE
);
INSERT INTO "session" VALUES(1,'s1');
INSERT INTO "session" VALUES(2,'s2');
CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "setting" VALUES('formation.analyst','rules');
INSERT INTO "setting" VALUES('formation.formed','1 6 0');
INSERT INTO "setting" VALUES('memory','memory_01M81R4KCGBNKB3TZFA3BJAQ97');
INSERT INTO "setting" VALUES('model.readings','4');
INSERT INTO "setting" VALUES('vectors.generation','1');
CREATE TABLE speaker (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE,
    role   TEXT
);
INSERT INTO "speaker" VALUES(1,'Maria',NULL);
INSERT INTO "speaker" VALUES(2,'Tomas',NULL);
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
INSERT INTO "spending" VALUES('2026-11-20','read','openai:small/1',2,300,40,0.25,1);
INSERT INTO "spending" VALUES('2026-11-20','write','openai:small/1',1,30,4,0.5,0);
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
, expires INTEGER, echoes TEXT);
INSERT INTO "turn" VALUES(1,X'01A203824D91F5E71825EFD66B6A9CAF',1,1,1,1741978920000000,0,3,'turn number 0',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "turn" VALUES(2,X'01A203824D91F5E71825EFD66B6A9CB0',1,1,1,1741978980000000,0,3,'turn number 1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "turn" VALUES(3,X'01A203824D91F5E71825EFD66B6A9CB1',1,1,1,1741979040000000,0,3,'turn number 2',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "turn" VALUES(4,X'01A203824D91F5E71825EFD66B6A9CB2',1,1,1,1741979100000000,0,3,'turn number 3',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "turn" VALUES(5,X'01A203824D91F5E71825EFD66B6A9CB3',1,1,1,1741979160000000,0,3,'turn number 4',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "turn" VALUES(6,X'01A203824D91F5E71825EFD66B6A9CB4',1,1,1,1741979220000000,0,3,'turn number 5',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "turn" VALUES(7,X'01A203824D97B22B9E8B00E4B7F41BB2',2,2,2,1741978920000000,0,2,'and more',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1741978920000000,NULL);
INSERT INTO "turn" VALUES(8,X'01A203824D97B22B9E8B00E4B7F41BB3',2,2,2,1741978920000000,0,2,'the last',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE turn_use (
    seq   INTEGER PRIMARY KEY REFERENCES turn (seq) ON DELETE CASCADE,
    uses  INTEGER NOT NULL,
    last  INTEGER NOT NULL,
    step  INTEGER NOT NULL
);
INSERT INTO "turn_use" VALUES(1,1,1741978920000000,1);
CREATE TABLE use_counter (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    value INTEGER NOT NULL
);
INSERT INTO "use_counter" VALUES(1,1);
CREATE TABLE "vector" (
    seq        INTEGER NOT NULL REFERENCES turn (seq) ON DELETE CASCADE,
    generation INTEGER NOT NULL,
    codes      BLOB NOT NULL,
    PRIMARY KEY (seq, generation)
) WITHOUT ROWID;
INSERT INTO "vector" VALUES(1,1,X'2DFDB43B0CF33E0ACC237F5C');
INSERT INTO "vector" VALUES(2,1,X'6E9FBD3BDABBDE0281F4BCD8');
INSERT INTO "vector" VALUES(3,1,X'7CE9AD3BCDE32661F47FC221');
INSERT INTO "vector" VALUES(4,1,X'1CFF893B720CA28CC61C81E6');
INSERT INTO "vector" VALUES(5,1,X'43EBC53BF22E121EC8F5437F');
INSERT INTO "vector" VALUES(6,1,X'D57C8F3BAE62573311EC5E7F');
INSERT INTO "vector" VALUES(7,1,X'2DFDB43B0CF33E0ACC237F5C');
INSERT INTO "vector" VALUES(8,1,X'6E9FBD3BDABBDE0281F4BCD8');
CREATE TABLE work (
    seq      INTEGER PRIMARY KEY REFERENCES turn (seq) ON DELETE CASCADE,
    attempts INTEGER NOT NULL DEFAULT 0,
    due      INTEGER NOT NULL DEFAULT 0,
    holder   TEXT,
    until    INTEGER,
    error    TEXT,
    given_up INTEGER NOT NULL DEFAULT 0
);
INSERT INTO "work" VALUES(4,1,5000,NULL,NULL,'it said nothing',0);
INSERT INTO "work" VALUES(5,1,6000,NULL,NULL,'it said nothing',1);
INSERT INTO "work" VALUES(8,0,0,'me',9000,NULL,0);
CREATE INDEX block_by_session ON block (session);
CREATE INDEX block_by_change ON block (changed);
CREATE INDEX turn_by_block ON turn (block);
CREATE UNIQUE INDEX turn_by_message ON turn (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX chunk_by_step ON chunk (step);
CREATE INDEX turn_use_by_step ON turn_use (step);
CREATE INDEX turn_by_expiry ON turn (expires) WHERE expires IS NOT NULL;
CREATE INDEX log_by_target ON log (target);
CREATE INDEX log_by_link ON log (link) WHERE link IS NOT NULL;
CREATE UNIQUE INDEX log_by_key ON log (key) WHERE key IS NOT NULL;
CREATE TRIGGER log_only_grows BEFORE DELETE ON log BEGIN
    SELECT RAISE(ABORT, 'entries of the log are not taken away');
END;
CREATE INDEX reading_by_number ON reading (number);
COMMIT;
