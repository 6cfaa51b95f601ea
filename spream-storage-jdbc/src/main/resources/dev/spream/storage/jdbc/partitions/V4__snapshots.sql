-- The query in place of the initial one in a subscription that begins with a snapshot. No row is written.
ALTER TABLE subscriptions ADD COLUMN snapshot_query text;
