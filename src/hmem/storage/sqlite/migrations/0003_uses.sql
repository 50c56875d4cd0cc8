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
