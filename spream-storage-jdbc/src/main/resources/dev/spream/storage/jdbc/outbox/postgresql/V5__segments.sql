-- Versions 1 to 4 called a segment a lane. Only names change: no row is written.
ALTER TABLE "${outbox}" RENAME COLUMN lane TO segment;
ALTER TABLE "${outbox}" RENAME CONSTRAINT "${outbox}_lane_of_key" TO "${outbox}_segment_of_key";
ALTER INDEX "${outbox}_lane_order" RENAME TO "${outbox}_segment_order";
ALTER TABLE "${outbox}_lanes" RENAME TO "${outbox}_segments";
ALTER TABLE "${outbox}_segments" RENAME COLUMN lane TO segment;
ALTER TABLE "${outbox}_segments" RENAME CONSTRAINT "${outbox}_lanes_pkey" TO "${outbox}_segments_pkey";
ALTER TABLE "${outbox}_segments" RENAME CONSTRAINT "${outbox}_lanes_lane_check" TO "${outbox}_segment_range";
