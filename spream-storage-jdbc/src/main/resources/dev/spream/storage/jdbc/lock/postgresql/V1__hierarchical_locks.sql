-- What hierarchical locks are taken on. All times are those of this server's clock. Taking a lock writes nothing here.

-- What everybody who locks in this schema has agreed on: one row, from when the first did. Of buckets that are rows, the
-- first ones are there, in the order of level and bucket; provisioned says how many of them in all.
CREATE TABLE hier_lock_space (
    id smallint PRIMARY KEY CHECK (id = 1),
    strategy text NOT NULL CHECK (strategy IN ('advisory', 'rows')),
    hash smallint NOT NULL,
    buckets bigint NOT NULL,
    levels smallint NOT NULL,
    provisioned bigint NOT NULL DEFAULT 0,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    provisioned_at timestamptz
);

-- One row for each bucket, which is locked and never changed. The name and the columns are those that others may share.
CREATE TABLE IF NOT EXISTS hier_lock_buckets (
    level smallint NOT NULL,
    bucket integer NOT NULL,
    PRIMARY KEY (level, bucket)
);

-- The last fencing epoch that was given out.
CREATE TABLE hier_lock_epoch (
    id smallint PRIMARY KEY CHECK (id = 1),
    epoch bigint NOT NULL
);

INSERT INTO hier_lock_epoch (id, epoch) VALUES (1, 0);

-- Who holds locks and waits for some, by name: what processes said of themselves, for people. Targets are JSON text.
CREATE TABLE hier_lock_owner (
    process text NOT NULL,
    session text NOT NULL,
    label text NOT NULL,
    held text NOT NULL,
    wanted text NOT NULL,
    held_since timestamptz,
    waiting_since timestamptz,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (process, session)
);

-- How often and how long buckets were waited for in an hour. Hours that are long over are removed.
CREATE TABLE hier_lock_wait (
    level smallint NOT NULL,
    bucket bigint NOT NULL,
    hour timestamptz NOT NULL,
    waits bigint NOT NULL,
    waited_micros bigint NOT NULL,
    PRIMARY KEY (level, bucket, hour)
);

CREATE INDEX hier_lock_wait_hour ON hier_lock_wait (hour);
