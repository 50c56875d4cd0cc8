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
