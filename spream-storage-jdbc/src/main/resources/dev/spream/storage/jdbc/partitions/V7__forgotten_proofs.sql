-- The time from which on the lineage is proven, once proofs were forgotten, and the number of partitions that started
-- before it and did not end before. No row is written.
ALTER TABLE subscriptions
    ADD COLUMN forgotten_before numeric(21, 9),
    ADD COLUMN kept_partitions integer NOT NULL DEFAULT 0;
