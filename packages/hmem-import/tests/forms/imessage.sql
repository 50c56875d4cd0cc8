CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT, service TEXT);
CREATE TABLE chat (ROWID INTEGER PRIMARY KEY, guid TEXT, chat_identifier TEXT, display_name TEXT);
CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid TEXT, text TEXT, attributedBody BLOB, handle_id INTEGER, date INTEGER,
  is_from_me INTEGER, associated_message_type INTEGER, item_type INTEGER);
CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER);
CREATE TABLE attachment (ROWID INTEGER PRIMARY KEY, filename TEXT, transfer_name TEXT);
CREATE TABLE message_attachment_join (message_id INTEGER, attachment_id INTEGER);
INSERT INTO handle VALUES (1, '+351912000000', 'iMessage');
INSERT INTO chat VALUES (1, 'iMessage;-;+351912000000', '+351912000000', '');
INSERT INTO message VALUES (1, 'g1', 'Shall we sail?', NULL, 1, 789124504000000000, 0, 0, 0);
INSERT INTO message VALUES (2, 'g2', NULL, X'040B73747265616D747970656481E803840140848484084E53537472696E67019484012B0D5965732C2061742065696768748684', 0, 789124505000000000, 1, 0, 0);
INSERT INTO message VALUES (3, 'g3', 'Loved “Yes”', NULL, 1, 789124506000000000, 0, 2000, 0);
INSERT INTO message VALUES (4, 'g4', NULL, NULL, 1, 789124507000000000, 0, 0, 0);
INSERT INTO chat_message_join VALUES (1, 1), (1, 2), (1, 3), (1, 4);
INSERT INTO attachment VALUES (1, '~/Library/Messages/Attachments/a/IMG_1.HEIC', 'IMG_1.HEIC');
INSERT INTO message_attachment_join VALUES (4, 1);
