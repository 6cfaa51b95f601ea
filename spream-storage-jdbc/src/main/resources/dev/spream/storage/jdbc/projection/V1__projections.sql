-- What is remembered of projections, beside the read models that they write. A key is the id of an aggregate; where it would
-- be too long for an index entry, it is 'sha256:' and the digest, and the id is in parked_keys. Whoever changes anything of
-- a key holds its row of projection_keys.

-- A summary for people, brought up to date about once a second; status and epoch are exact. An acknowledgement's id is no
-- position, so pubsub_ack_id stays empty: a projection over Pub/Sub is as far as its keys are.
CREATE TABLE projection_states (
    projection_name text COLLATE "C" PRIMARY KEY,
    last_processed_event_id text,
    last_processed_timestamp timestamptz,
    event_store_position bigint NOT NULL DEFAULT 0,
    pubsub_ack_id text,
    status text NOT NULL CHECK (status IN ('RUNNING', 'PAUSED', 'FAILED', 'REBUILDING')),
    error_count bigint NOT NULL DEFAULT 0,
    last_error text,
    last_error_at timestamptz,
    updated_at timestamptz NOT NULL,
    epoch bigint NOT NULL DEFAULT 1,
    segments int NOT NULL CHECK (segments BETWEEN 0 AND 256)
);

-- The read models of a projection, each with a state of its own, whose name is that of the projection for version 1 and name@n
-- for version n. The live one's tables are in home; the tables of another are in own_schema. Both are empty until they are
-- known. Of applied events there were measured at measured_at, and since then or the measuring before they come at that rate.
-- latest is the highest number that was given. outside_model is the id of a read model that is not in the database, once it is
-- begun.
CREATE TABLE projection_versions (
    projection text COLLATE "C" NOT NULL,
    version int NOT NULL CHECK (version > 0),
    state text COLLATE "C" NOT NULL UNIQUE,
    revision int NOT NULL CHECK (revision > 0),
    role text NOT NULL CHECK (role IN ('LIVE', 'SHADOW', 'RETIRED')),
    from_position bigint NOT NULL DEFAULT 0,
    prepared boolean NOT NULL,
    effects boolean NOT NULL DEFAULT false,
    tables text[],
    home text,
    own_schema text,
    outside_model text,
    created_at timestamptz NOT NULL,
    applied bigint NOT NULL DEFAULT 0,
    measured bigint NOT NULL DEFAULT 0,
    measured_at timestamptz NOT NULL,
    rate double precision,
    latest int NOT NULL,
    PRIMARY KEY (projection, version)
);

CREATE UNIQUE INDEX projection_versions_live ON projection_versions (projection) WHERE role = 'LIVE';

CREATE UNIQUE INDEX projection_versions_shadow ON projection_versions (projection) WHERE role = 'SHADOW';

-- Who applies which events, and up to where it has. What was dealt with last is here, where it is written with the position.
CREATE TABLE projection_segments (
    projection text COLLATE "C" NOT NULL,
    segment int NOT NULL,
    epoch bigint NOT NULL DEFAULT 0,
    position bigint NOT NULL DEFAULT 0,
    owner text,
    lease_until timestamptz,
    last_event_id text,
    last_event_at timestamptz,
    PRIMARY KEY (projection, segment)
);

CREATE TABLE projection_owners (
    projection text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    alive_until timestamptz NOT NULL,
    PRIMARY KEY (projection, owner)
);

CREATE TABLE projection_keys (
    projection text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    last_version bigint NOT NULL,
    parked boolean NOT NULL,
    PRIMARY KEY (projection, key)
);

-- events counts those that are set aside. next_try is empty where somebody has to do something first. The segment is that
-- of whoever parked it, -1 if its source has no positions. Side effects of versions up to followed are another version's.
CREATE TABLE projection_parked_keys (
    projection text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    aggregate_id text NOT NULL,
    segment int NOT NULL,
    reason text NOT NULL CHECK (reason IN ('TRANSIENT', 'POISON', 'GAP')),
    attempts int NOT NULL,
    error text NOT NULL,
    since timestamptz NOT NULL,
    next_try timestamptz,
    events bigint NOT NULL,
    followed bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (projection, key)
);

CREATE INDEX projection_parked_keys_due ON projection_parked_keys (projection, segment, next_try)
    WHERE next_try IS NOT NULL;

CREATE INDEX projection_parked_keys_since ON projection_parked_keys (projection, since);

-- The data are text, as they came: jsonb would not give them back so. occurred_at is seconds since 1970, exact to the
-- nanosecond.
CREATE TABLE projection_parked_events (
    projection text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    event_version bigint NOT NULL,
    event_id text NOT NULL,
    event_type text NOT NULL,
    event_data text NOT NULL,
    occurred_at numeric NOT NULL,
    correlation_id text NOT NULL,
    user_id text NOT NULL,
    source_service text NOT NULL,
    idempotency_key text,
    PRIMARY KEY (projection, key, event_version)
);

-- Events that were skipped, and what came instead of events, with its bytes, once for each origin.
CREATE TABLE projection_dead_letters (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    projection text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('SKIPPED', 'UNDECODABLE')),
    kept_at timestamptz NOT NULL,
    reason text NOT NULL,
    aggregate_id text,
    event_version bigint,
    event_id text,
    event_type text,
    event_data text,
    occurred_at numeric,
    correlation_id text,
    user_id text,
    source_service text,
    idempotency_key text,
    origin text,
    origin_key text COLLATE "C",
    bytes bytea,
    attributes json,
    CHECK (CASE kind
        WHEN 'SKIPPED' THEN event_id IS NOT NULL AND event_data IS NOT NULL
        ELSE origin_key IS NOT NULL AND bytes IS NOT NULL
    END)
);

CREATE UNIQUE INDEX projection_dead_letters_origin ON projection_dead_letters (projection, origin_key)
    WHERE kind = 'UNDECODABLE';

CREATE INDEX projection_dead_letters_projection ON projection_dead_letters (projection, id);

-- What was changed by hand.
CREATE TABLE projection_audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    projection text COLLATE "C" NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    outcome text NOT NULL,
    reason text NOT NULL
);

CREATE INDEX projection_audit_projection ON projection_audit (projection, id);

-- Rows that are written with every batch: room beside them, and vacuum before much has gathered. Neither a position nor a
-- version is in an index, so new ones need no entries there.
ALTER TABLE projection_segments SET (fillfactor = 20, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
ALTER TABLE projection_states SET (fillfactor = 20, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
ALTER TABLE projection_owners SET (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
ALTER TABLE projection_keys SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);
ALTER TABLE projection_parked_keys SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE projection_parked_events SET (autovacuum_vacuum_scale_factor = 0.05);
