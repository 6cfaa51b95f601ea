-- What subscriptions remember. Times of Spanner are seconds since 1970 with nine decimals, exact to the nanosecond and to
-- the year 9999; timestamptz has microseconds. Times of this server's clock are timestamptz. to_timestamp(watermark)
-- shows the former readably.

CREATE TABLE subscriptions (
    name text PRIMARY KEY,
    stream_name text NOT NULL,
    start_timestamp numeric(21, 9) NOT NULL,
    end_timestamp numeric(21, 9),
    heartbeat_interval numeric(21, 9) NOT NULL,
    partition_mode text NOT NULL,
    completed boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL
);

-- A token has any length, an index entry has not: its SHA-256 is the key, and every comparison looks at both.
-- A partition that clean-up removed stays as its own proof, with removed_at set: so a child that is reported again by its
-- other parent conflicts with it, whatever runs at the same time.
CREATE TABLE partitions (
    subscription text NOT NULL,
    token_hash bytea NOT NULL,
    token text NOT NULL,
    parent_tokens text[] NOT NULL,
    start_timestamp numeric(21, 9) NOT NULL,
    watermark numeric(21, 9) NOT NULL,
    state text NOT NULL CHECK (state IN ('CREATED', 'SCHEDULED', 'RUNNING', 'FINISHED')),
    epoch bigint NOT NULL DEFAULT 0,
    owner text,
    lease_until timestamptz,
    gap_starts numeric(21, 9)[] NOT NULL DEFAULT '{}',
    gap_ends numeric(21, 9)[] NOT NULL DEFAULT '{}',
    end_kind text,
    end_timestamp numeric(21, 9),
    end_children text[],
    created_at timestamptz NOT NULL,
    scheduled_at timestamptz,
    running_at timestamptz,
    finished_at timestamptz,
    removed_at timestamptz,
    PRIMARY KEY (token_hash, subscription), -- in this order, no planner takes it for a way to a subscription
    CHECK (watermark >= start_timestamp),
    CHECK ((state = 'FINISHED') = (finished_at IS NOT NULL AND end_kind IS NOT NULL
        AND end_timestamp IS NOT NULL AND end_children IS NOT NULL)),
    CHECK (removed_at IS NULL OR state = 'FINISHED')
) WITH (fillfactor = 70); -- room for watermarks and leases to be updated in place

-- What workers read about once a second, however many partitions have finished. With the key, so that it finds one
-- partition as well as the primary key does, should it be taken for that.
CREATE INDEX partitions_unfinished ON partitions (subscription, token_hash) WHERE state <> 'FINISHED';

-- The lineage, and what clean-up may remove, however many partitions were removed.
CREATE INDEX partitions_kept ON partitions (subscription, finished_at) WHERE removed_at IS NULL;

CREATE TABLE workers (
    subscription text NOT NULL,
    worker text NOT NULL,
    capacity integer NOT NULL CHECK (capacity >= 1),
    registered_at timestamptz NOT NULL,
    alive_until timestamptz NOT NULL,
    PRIMARY KEY (subscription, worker)
);
