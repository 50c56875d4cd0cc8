-- Vectors of 256 sequence numbers in a row of their own: `number` is that of a vector's turn divided by 256. What lies
-- here takes a seventh less room than a row a vector, and is read many times as fast. Zeros stand for a missing one.
CREATE TABLE vector_run (
    number     INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    codes      BLOB NOT NULL,
    checksum   INTEGER,
    PRIMARY KEY (number, generation)
) WITHOUT ROWID;
