-- How many events were dealt with, each once, counted in the transaction that deals with them: exact with the position. Of these,
-- projection_versions has how many there were when the rate was measured.
ALTER TABLE projection_segments ADD COLUMN dealt bigint NOT NULL DEFAULT 0;

UPDATE projection_segments s SET dealt = v.applied FROM projection_versions v WHERE v.state = s.projection AND s.segment = 0;

ALTER TABLE projection_versions DROP COLUMN applied;
