-- A turn's vectors are looked up by the turn: keyed so, they need no second index.
CREATE TABLE vector_by_seq (
    seq        INTEGER NOT NULL REFERENCES turn (seq) ON DELETE CASCADE,
    generation INTEGER NOT NULL,
    codes      BLOB NOT NULL,
    PRIMARY KEY (seq, generation)
) WITHOUT ROWID;
INSERT INTO vector_by_seq SELECT seq, generation, codes FROM vector;
DROP TABLE vector;
ALTER TABLE vector_by_seq RENAME TO vector;

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
    content BLOB
);
CREATE INDEX chunk_by_step ON chunk (step);
