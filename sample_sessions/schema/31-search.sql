-- Run when the rows are in: one statement for all costs half of what the triggers would.
BEGIN;
-- From schema 23 the index stores no text of its own: it reads a view in which long tool output is cut short.
CREATE VIEW messages_fts_src AS
  SELECT id, CASE WHEN role = 'tool' THEN substr(coalesce(content, ''), 1, 8192) ELSE content END AS content,
         tool_name, tool_calls FROM messages;
CREATE VIRTUAL TABLE messages_fts
  USING fts5 (content, tool_name, tool_calls, content = 'messages_fts_src', content_rowid = 'id');
CREATE VIEW messages_fts_trigram_src AS
  SELECT m.id, m.role, m.content, m.tool_name FROM messages m JOIN sessions s ON s.id = m.session_id
  WHERE m.role <> 'tool' AND s.source NOT IN ('cron', 'subagent');
CREATE VIRTUAL TABLE messages_fts_trigram
  USING fts5 (content, tool_name, content = 'messages_fts_trigram_src', content_rowid = 'id', tokenize = 'trigram');

INSERT INTO messages_fts (messages_fts) VALUES ('rebuild');
INSERT INTO messages_fts_trigram (messages_fts_trigram) VALUES ('rebuild');
COMMIT;

CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
  INSERT INTO messages_fts (rowid, content, tool_name, tool_calls)
  SELECT id, content, tool_name, tool_calls FROM messages_fts_src WHERE id = new.id;
END;
CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages WHEN new.role <> 'tool' BEGIN
  INSERT INTO messages_fts_trigram (rowid, content, tool_name)
  SELECT id, content, tool_name FROM messages_fts_trigram_src WHERE id = new.id;
END;
