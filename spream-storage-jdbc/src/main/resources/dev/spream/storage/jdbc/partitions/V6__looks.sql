-- What workers look at once a second: the partitions that changed since their last look. No row is written.
-- The transaction of the last change, leases that were renewed and watermarks that moved left aside: those are updated in
-- place, so no index has their columns.
ALTER TABLE partitions ADD COLUMN changed_in xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX partitions_changed ON partitions (changed_in); -- alone, or a planner takes it for a way to a subscription

-- The transaction of the last correction.
ALTER TABLE subscriptions ADD COLUMN corrected_in xid8;

-- The low watermark of the partitions of a worker, and when it was known, both exact. Workers of an earlier release store none.
ALTER TABLE workers
    ADD COLUMN low_watermark numeric(21, 9),
    ADD COLUMN low_watermark_as_of numeric(21, 9);
