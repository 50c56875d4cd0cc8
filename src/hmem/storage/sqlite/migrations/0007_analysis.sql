-- The version of the analysis that counted the words of a turn (``hmem.index.analyze``): a count of another version is
-- made anew by whoever reads it.
ALTER TABLE turn ADD COLUMN analysis INTEGER NOT NULL DEFAULT 1;
