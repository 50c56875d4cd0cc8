-- A checksum of what a row says, which SQLite itself does not keep (``hmem.storage.sqlite.checksums``).
ALTER TABLE turn ADD COLUMN checksum INTEGER;
ALTER TABLE log ADD COLUMN checksum INTEGER;
ALTER TABLE vector ADD COLUMN checksum INTEGER;
ALTER TABLE chunk ADD COLUMN checksum INTEGER;
ALTER TABLE setting ADD COLUMN checksum INTEGER;
