-- Moves of key ranges between living partitions, in streams with mutable key ranges. No row is written.
-- The last move-in that a partition had to wait for, and its move-outs at the timestamp of its watermark.
ALTER TABLE partitions
    ADD COLUMN move_in_timestamp numeric(21, 9),
    ADD COLUMN move_in_sources text[],
    ADD COLUMN move_out_sequence text,
    ADD COLUMN move_out_destinations text[],
    ADD CONSTRAINT partitions_move_in CHECK (
        (move_in_timestamp IS NULL) = (move_in_sources IS NULL) AND cardinality(move_in_sources) > 0),
    ADD CONSTRAINT partitions_move_outs CHECK (
        (move_out_sequence IS NULL) = (move_out_destinations IS NULL) AND cardinality(move_out_destinations) > 0);
