-- A clock that tests move, and what makes a database as good as new when a test is done with it.

CREATE SCHEMA test_clock;
CREATE TABLE test_clock.moved (ahead interval NOT NULL);
INSERT INTO test_clock.moved VALUES ('0');

CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS
'SELECT pg_catalog.clock_timestamp() + ahead FROM test_clock.moved';

-- What a test may add, besides what belongs to it.
CREATE FUNCTION test_clock.objects() RETURNS TABLE (class oid, object oid) LANGUAGE sql AS $$
    SELECT 'pg_namespace'::regclass, oid FROM pg_namespace WHERE oid >= 16384 AND nspname !~ '^pg_'
    UNION ALL
    SELECT 'pg_class'::regclass, oid FROM pg_class
    WHERE oid >= 16384 AND relkind IN ('r', 'p', 'v', 'm', 'S') AND relpersistence <> 't'
    UNION ALL
    SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE oid >= 16384
    UNION ALL
    SELECT 'pg_type'::regclass, oid FROM pg_type WHERE oid >= 16384 AND typtype IN ('d', 'e')
$$;

CREATE FUNCTION test_clock.altered_by() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ',
        (SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp'),
        (SELECT concat(count(*), ':', sum(xmin::text::bigint), ':', sum(reltuples)) FROM pg_class WHERE oid >= 16384),
        (SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM pg_attribute WHERE attrelid >= 16384),
        (SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM pg_attrdef),
        (SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM pg_constraint WHERE oid >= 16384),
        (SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM pg_trigger),
        (SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM pg_proc WHERE oid >= 16384),
        (SELECT count(*) FROM pg_type WHERE oid >= 16384),
        (SELECT count(*) FROM pg_default_acl),
        (SELECT count(*) FROM pg_extension),
        (SELECT count(*) FROM pg_publication),
        (SELECT concat(datdba, datacl) FROM pg_database WHERE datname = current_database()),
        (SELECT count(*) FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
            WHERE d.datname = current_database()))
$$;

CREATE FUNCTION test_clock.tables() RETURNS SETOF pg_class LANGUAGE sql AS $$
    SELECT * FROM pg_class
    WHERE oid >= 16384 AND relkind = 'r' AND relnamespace NOT IN ('test_clock'::regnamespace, 'pg_toast'::regnamespace)
$$;

-- The objects, the rows that tables have and where sequences are, all from the beginning.
CREATE TABLE test_clock.first_objects (class oid, object oid);
CREATE TABLE test_clock.first_rows (of regclass, rows regclass, columns text);
CREATE TABLE test_clock.first_values (of regclass, value bigint, is_called boolean);
CREATE TABLE test_clock.original (altered_by text);

-- Makes this the beginning.
CREATE FUNCTION test_clock.begin() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    t regclass;
    has_rows boolean;
BEGIN
    FOR t IN SELECT oid FROM test_clock.tables() LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', t) INTO has_rows;
        IF has_rows THEN
            EXECUTE format('CREATE TABLE test_clock.rows_%s AS TABLE %s', t::oid, t);
            INSERT INTO test_clock.first_rows
                SELECT t, format('test_clock.rows_%s', t::oid)::regclass, string_agg(quote_ident(attname), ', ')
                FROM pg_attribute
                WHERE attrelid = t AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
        END IF;
    END LOOP;
    FOR t IN SELECT seqrelid FROM pg_sequence LOOP
        EXECUTE format('INSERT INTO test_clock.first_values SELECT %L, last_value, is_called FROM %s', t, t);
    END LOOP;
    DELETE FROM test_clock.first_objects;
    INSERT INTO test_clock.first_objects SELECT * FROM test_clock.objects();
    DELETE FROM test_clock.original;
    INSERT INTO test_clock.original SELECT test_clock.altered_by();
END
$$;

-- Drops what was added and restores the rows. False, with the rows as they are, if the test has altered more.
CREATE FUNCTION test_clock.reset() RETURNS boolean LANGUAGE plpgsql
SET session_replication_role = replica SET client_min_messages = warning AS $$
DECLARE
    drops text[] := (
        SELECT array_agg(format('DROP %s IF EXISTS %s CASCADE', type, identity)
            ORDER BY class <> 'pg_namespace'::regclass, type = 'sequence') -- those of a table go with it
        FROM (SELECT * FROM test_clock.objects() EXCEPT SELECT * FROM test_clock.first_objects) AS added,
            pg_identify_object(class, object, 0));
    added text;
    t regclass;
    r test_clock.first_rows;
BEGIN
    FOREACH added IN ARRAY coalesce(drops, '{}') LOOP
        EXECUTE added;
    END LOOP;
    IF test_clock.altered_by() <> (SELECT altered_by FROM test_clock.original) THEN
        RETURN false;
    END IF;
    FOR t IN SELECT oid FROM test_clock.tables() LOOP
        EXECUTE format('DELETE FROM %s', t);
    END LOOP;
    FOR r IN SELECT * FROM test_clock.first_rows LOOP
        EXECUTE format('INSERT INTO %1$s (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM %3$s', r.of, r.columns, r.rows);
    END LOOP;
    PERFORM setval(of, value, is_called) FROM test_clock.first_values;
    UPDATE test_clock.moved SET ahead = '0';
    RETURN true;
END
$$;

SELECT test_clock.begin();
