-- Events that are appended and never changed. Whoever reads them in the order of their positions must not pass over one that
-- commits late: hence the barrier below, which all who insert take part in, whether they know of it or not.

-- Positions are given one by one (CACHE 1): a session that kept some for later would use them behind the readers' backs. The
-- slot spreads aggregates over segments. It is stored, and by a hash that PostgreSQL itself relies on for partitions: it must
-- be the same for ever. Ids compare as bytes, whatever the database's language. What is known here must hold for every event:
-- readers can only set aside a row that is none.
CREATE TABLE "${events}" (
    position bigint GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY,
    event_id text COLLATE "C" NOT NULL,
    aggregate_id text COLLATE "C" NOT NULL,
    event_version bigint NOT NULL,
    event_type text NOT NULL,
    event_data jsonb NOT NULL,
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
    correlation_id text NOT NULL DEFAULT '',
    user_id text NOT NULL DEFAULT '',
    source_service text NOT NULL DEFAULT '',
    idempotency_key text,
    slot smallint GENERATED ALWAYS AS ((hashtextextended(aggregate_id, 0) & 255)::smallint) STORED,
    CONSTRAINT "${events}_event_id" UNIQUE (event_id),
    CONSTRAINT "${events}_version" UNIQUE (aggregate_id, event_version),
    CONSTRAINT "${events}_known_version" CHECK (event_version >= 1),
    CONSTRAINT "${events}_known_id" CHECK (char_length(event_id) BETWEEN 1 AND 200),
    CONSTRAINT "${events}_known_aggregate" CHECK (char_length(aggregate_id) BETWEEN 1 AND 1024),
    CONSTRAINT "${events}_known_type" CHECK (char_length(event_type) BETWEEN 1 AND 200),
    CONSTRAINT "${events}_known_time" CHECK (isfinite(occurred_at))
);

-- Rows are only added: analyze and freeze them as they come.
ALTER TABLE "${events}" SET (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- The barrier. Whoever inserts shares a lock until the end of the transaction, from before its first position: statement
-- triggers fire before the sequence is asked. While somebody has the lock alone, every position that was ever given is
-- decided. The lock is the table's: its number is the table's own. A commit that is not flushed could be lost after a reader
-- saw it, and its position be given again, so it is flushed.
CREATE FUNCTION "${events}_barrier"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_catalog.pg_advisory_xact_lock_shared(${barrier}, TG_RELID::int);
    IF pg_catalog.current_setting('synchronous_commit') = 'off' THEN
        PERFORM pg_catalog.set_config('synchronous_commit', 'local', true);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER "${events}_barrier" BEFORE INSERT ON "${events}"
    FOR EACH STATEMENT EXECUTE FUNCTION "${events}_barrier"();
ALTER TABLE "${events}" ENABLE ALWAYS TRIGGER "${events}_barrier";

-- Up to which position everything is decided; null if that cannot be had within the wait, in milliseconds, for a transaction
-- that has inserted is still open. No lock is taken if nothing was inserted since the known mark. What is read up to the
-- mark must be read by a later statement. Less than the known mark means that the sequence went back, and is for the caller
-- to refuse. More than it counts only after the function below was called in a later transaction of the same session, and
-- that has committed.
CREATE FUNCTION "${events}_mark"(known bigint, wait int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    given bigint;
BEGIN
    IF pg_catalog.pg_is_in_recovery() THEN
        RAISE read_only_sql_transaction USING MESSAGE =
            'events can be read in order on the primary server alone, where they are inserted';
    END IF;
    SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END INTO given
    FROM "${flyway:defaultSchema}"."${events}_position_seq" s;
    IF given <= known THEN
        RETURN given;
    END IF;
    BEGIN
        PERFORM pg_catalog.set_config('lock_timeout', wait::text, true);
        PERFORM pg_catalog.pg_advisory_xact_lock(
            ${barrier}, '"${flyway:defaultSchema}"."${events}"'::pg_catalog.regclass::pg_catalog.oid::int);
    EXCEPTION WHEN lock_not_available THEN
        RETURN NULL;
    END;
    SELECT s.last_value INTO given FROM "${flyway:defaultSchema}"."${events}_position_seq" s;
    RETURN given;
END $$;

-- Makes what was logged before outlast a crash of the server, once this transaction has committed. Positions that were taken
-- by transactions which rolled back are otherwise not flushed by anybody, and would be given again after a crash. A commit
-- flushes only if the transaction has a number and has logged something: the message gives it both, and means nothing.
CREATE FUNCTION "${events}_flush"() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF pg_catalog.current_setting('synchronous_commit') = 'off' THEN
        PERFORM pg_catalog.set_config('synchronous_commit', 'local', true);
    END IF;
    PERFORM pg_catalog.pg_logical_emit_message(true, 'spream', ''::text);
END $$;

-- The last durable mark that a reader has kept, a second or so behind: whoever starts while a transaction that has inserted
-- is open reads up to here. It is written after the flush, and never ahead of the sequence.
CREATE TABLE "${events}_mark" (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    position bigint NOT NULL CHECK (position >= 0)
) WITH (fillfactor = 20, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);

INSERT INTO "${events}_mark" (position) VALUES (0);

-- Readers that sleep share another lock; who inserts while somebody does so notifies, which takes a lock of the whole server
-- at commit, so that nobody does it otherwise. Readers look once more after they have fallen asleep.
CREATE FUNCTION "${events}_wake"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_catalog.pg_try_advisory_lock(${sleepers}, TG_RELID::int) THEN
        PERFORM pg_catalog.pg_advisory_unlock(${sleepers}, TG_RELID::int);
    ELSE
        PERFORM pg_catalog.pg_notify('${channel}', '');
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER "${events}_wake" AFTER INSERT ON "${events}"
    FOR EACH STATEMENT EXECUTE FUNCTION "${events}_wake"();
ALTER TABLE "${events}" ENABLE ALWAYS TRIGGER "${events}_wake";

CREATE FUNCTION "${events}_refuse"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE restrict_violation USING
        MESSAGE = pg_catalog.format('events are never changed: %s of %I.%I is refused', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME),
        HINT = 'Append an event that says what is to be different. To erase what must not be kept, the table''s owner disables'
            ' the trigger ${events}_refuse for that transaction.';
END $$;

CREATE TRIGGER "${events}_refuse" BEFORE UPDATE OR DELETE OR TRUNCATE ON "${events}"
    FOR EACH STATEMENT EXECUTE FUNCTION "${events}_refuse"();
