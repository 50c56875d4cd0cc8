-- Many memories in one database. Every table has the memory first in its primary key, so that a database that is spread
-- over machines keeps the rows of one memory together. Texts that people chose, of any length, are found by a digest.
-- Versions of this schema, one row each.
CREATE TABLE hmem.migration (
    version integer PRIMARY KEY,
    name    text NOT NULL,
    at      timestamptz NOT NULL DEFAULT now()
);

-- One row a memory: whoever changes it locks the row. `change` is the last number that was given to a turn or a change,
-- `step`, `watermark` and `cleared` are the progress of formation, `recorded` is the last entry of the log, `used` the
-- last step of uses. The others are the last numbers that were given. `folded` is the name without regard to case.
CREATE TABLE hmem.memory (
    memory    text COLLATE "C" PRIMARY KEY,
    folded    text COLLATE "C" NOT NULL,
    id        text NOT NULL,
    change    bigint NOT NULL DEFAULT 0,
    step      bigint NOT NULL DEFAULT 0,
    watermark bigint NOT NULL DEFAULT 0,
    cleared   bigint NOT NULL DEFAULT 0,
    recorded  bigint NOT NULL DEFAULT 0,
    used      bigint NOT NULL DEFAULT 0,
    speakers  bigint NOT NULL DEFAULT 0,
    sessions  bigint NOT NULL DEFAULT 0,
    blocks    bigint NOT NULL DEFAULT 0,
    settings  jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX memory_by_folded ON hmem.memory (folded);

CREATE TABLE hmem.speaker (
    memory text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    digest bytea NOT NULL,
    name   text NOT NULL,
    role   text,
    PRIMARY KEY (memory, number),
    UNIQUE (memory, digest)
);

CREATE TABLE hmem.session (
    memory text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    digest bytea NOT NULL,
    name   text NOT NULL,
    PRIMARY KEY (memory, number),
    UNIQUE (memory, digest)
);

-- A run of turns of one session and one user (`owner`, a digest), whole in one row. `filled` counts its turns and those
-- since deleted; `changed` is its last change; `seqs` are the numbers of its turns.
CREATE TABLE hmem.block (
    memory     text COLLATE "C" NOT NULL,
    number     bigint NOT NULL,
    session    bigint NOT NULL,
    owner      bytea,
    filled     integer NOT NULL,
    turns      integer NOT NULL,
    changed    bigint NOT NULL,
    said_first bigint,
    said_last  bigint,
    speakers   bigint[] NOT NULL,
    seqs       bigint[] NOT NULL,
    PRIMARY KEY (memory, number)
);
CREATE INDEX block_by_session ON hmem.block (memory, session, number);
CREATE INDEX block_by_change ON hmem.block (memory, changed);

-- What a block's turns are, in their order: forty bytes of numbers each (hmem_postgres.packing), and all that was said of
-- it. It lies in parts, so that a turn that is added alone writes a few anew, not all of a block.
CREATE TABLE hmem.text (
    memory  text COLLATE "C" NOT NULL,
    block   bigint NOT NULL,
    part    integer NOT NULL,
    members bytea NOT NULL,
    texts   bytea[] NOT NULL,
    PRIMARY KEY (memory, block, part)
);

-- By what a turn is found, and what a condition may ask of it. Other tables refer to its rows without a foreign key: who
-- writes holds the memory's row, and deletes by one statement a table, not by one a row.
CREATE TABLE hmem.turn (
    memory   text COLLATE "C" NOT NULL,
    seq      bigint NOT NULL,
    key      bytea NOT NULL,
    block    bigint NOT NULL,
    speaker  bigint NOT NULL,
    role     text,
    message  bytea,
    agent    bytea,
    echoing  boolean NOT NULL,
    expires  bigint,
    metadata bytea,
    PRIMARY KEY (memory, seq),
    UNIQUE (memory, key)
);
CREATE UNIQUE INDEX turn_by_message ON hmem.turn (memory, message) WHERE message IS NOT NULL;
CREATE INDEX turn_by_expiry ON hmem.turn (memory, expires) WHERE expires IS NOT NULL;

-- The vectors of a block's turns in a generation: four bytes of scale and one a component, row behind row. Random bytes
-- do not compress. They lie in parts, so that a turn that is added alone writes a few vectors anew, not all of a block.
CREATE TABLE hmem.vector (
    memory     text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    block      bigint NOT NULL,
    part       integer NOT NULL,
    seqs       bigint[] NOT NULL,
    codes      bytea NOT NULL,
    PRIMARY KEY (memory, generation, block, part)
);
ALTER TABLE hmem.vector ALTER COLUMN codes SET STORAGE EXTERNAL;

-- What formation derives, in chunks of parts. A chunk that is gone keeps its row, so that other processes hear of it.
CREATE TABLE hmem.chunk (
    memory  text COLLATE "C" NOT NULL,
    part    text COLLATE "C" NOT NULL,
    number  bigint NOT NULL,
    step    bigint NOT NULL,
    content bytea,
    PRIMARY KEY (memory, part, number)
);
CREATE INDEX chunk_by_step ON hmem.chunk (memory, step);

CREATE TABLE hmem.turn_use (
    memory text COLLATE "C" NOT NULL,
    seq    bigint NOT NULL,
    uses   bigint NOT NULL,
    last   bigint NOT NULL,
    step   bigint NOT NULL,
    PRIMARY KEY (memory, seq)
);
CREATE INDEX turn_use_by_step ON hmem.turn_use (memory, step);

CREATE TABLE hmem.log (
    memory text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    at     bigint NOT NULL,
    by     text NOT NULL,
    verb   text NOT NULL,
    target text NOT NULL,
    why    text,
    before text,
    after  text,
    link   text,
    key    text,
    about  bytea[] NOT NULL,
    once   bytea,
    PRIMARY KEY (memory, number)
);
CREATE UNIQUE INDEX log_by_key ON hmem.log (memory, once) WHERE once IS NOT NULL;

-- What a language model read in turns, the turns that wait for one, its answers, reactions to judge, and spending.
CREATE TABLE hmem.reading (
    memory  text COLLATE "C" NOT NULL,
    seq     bigint NOT NULL,
    number  bigint NOT NULL,
    first   bigint NOT NULL,
    last    bigint NOT NULL,
    made_by text NOT NULL,
    content bytea,
    PRIMARY KEY (memory, seq)
);
CREATE INDEX reading_by_number ON hmem.reading (memory, number);

CREATE TABLE hmem.work (
    memory   text COLLATE "C" NOT NULL,
    seq      bigint NOT NULL,
    attempts bigint NOT NULL DEFAULT 0,
    due      bigint NOT NULL DEFAULT 0,
    holder   text,
    until    bigint,
    error    text,
    given_up boolean NOT NULL DEFAULT false,
    PRIMARY KEY (memory, seq)
);

CREATE TABLE hmem.answer (
    memory  text COLLATE "C" NOT NULL,
    digest  bytea NOT NULL,
    kind    text NOT NULL,
    made_by text NOT NULL,
    content bytea,
    PRIMARY KEY (memory, digest)
);

CREATE TABLE hmem.reaction (
    memory   text COLLATE "C" NOT NULL,
    seq      bigint NOT NULL,
    content  bytea NOT NULL,
    attempts bigint NOT NULL DEFAULT 0,
    due      bigint NOT NULL DEFAULT 0,
    holder   text,
    until    bigint,
    PRIMARY KEY (memory, seq)
);

CREATE TABLE hmem.spending (
    memory        text COLLATE "C" NOT NULL,
    day           text NOT NULL,
    purpose       text NOT NULL,
    model         text NOT NULL,
    calls         bigint NOT NULL,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cost          double precision NOT NULL,
    failures      bigint NOT NULL,
    PRIMARY KEY (memory, day, purpose, model)
);

-- Memories with work for a language model, so that a worker finds them without asking each. `due` is when (µs since
-- 1970 UTC), `claimed` until when a worker has it, `renewed` that work was added since it was claimed.
CREATE TABLE hmem.due (
    memory  text COLLATE "C" PRIMARY KEY,
    due     bigint NOT NULL,
    claimed bigint NOT NULL DEFAULT 0,
    renewed boolean NOT NULL DEFAULT true,
    since   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX due_by_time ON hmem.due (due);

-- A second fence behind the server's keys: a transaction sees the rows of the memory that it names, and writes no
-- others. Who lists or claims memories names the whole database, and sees the names, not what is in them.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['memory', 'speaker', 'session', 'block', 'text', 'turn', 'vector', 'chunk', 'turn_use', 'log',
                                'reading', 'work', 'answer', 'reaction', 'spending', 'due'] LOOP
        EXECUTE format('ALTER TABLE hmem.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE hmem.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_one_memory ON hmem.%I USING (memory = current_setting(''hmem.memory'', true)) '
                       'WITH CHECK (memory = current_setting(''hmem.memory'', true))', name);
    END LOOP;
END
$$;
CREATE POLICY names ON hmem.memory FOR SELECT USING (current_setting('hmem.scope', true) = 'names');
CREATE POLICY work ON hmem.due USING (current_setting('hmem.scope', true) = 'work')
    WITH CHECK (current_setting('hmem.scope', true) = 'work');
