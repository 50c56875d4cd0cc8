-- What brings a memory of schema 6 to the present one: checksums, runs of vectors, and the analysis that counted words.
ALTER TABLE turn ADD COLUMN analysis INTEGER NOT NULL DEFAULT 1;
ALTER TABLE turn ADD COLUMN checksum INTEGER;
ALTER TABLE log ADD COLUMN checksum INTEGER;
ALTER TABLE vector ADD COLUMN checksum INTEGER;
ALTER TABLE chunk ADD COLUMN checksum INTEGER;
ALTER TABLE setting ADD COLUMN checksum INTEGER;
CREATE TABLE vector_run (
    number     INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    codes      BLOB NOT NULL,
    checksum   INTEGER,
    PRIMARY KEY (number, generation)
) WITHOUT ROWID;
