-- What makes a database with tables as good as new when a test is done with it, unless the test has altered it.

CREATE FUNCTION test_clock.altered_by() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ',
        (SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM pg_namespace),
        (SELECT concat(count(*), ':', sum(xmin::text::bigint), ':', sum(reltuples)) FROM pg_class WHERE oid >= 16384),
        (SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM pg_attribute WHERE attrelid >= 16384),
        (SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM pg_attrdef),
        (SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM pg_constraint WHERE oid >= 16384),
        (SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM pg_trigger),
        (SELECT concat(count(*), ':', sum(xmin::text::bigint)) FROM pg_proc WHERE oid >= 16384),
        (SELECT count(*) FROM pg_default_acl),
        (SELECT count(*) FROM pg_extension),
        (SELECT count(*) FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
            WHERE d.datname = current_database()))
$$;

CREATE FUNCTION test_clock.tables() RETURNS SETOF pg_class LANGUAGE sql AS $$
    SELECT * FROM pg_class
    WHERE oid >= 16384 AND relkind = 'r' AND relnamespace NOT IN ('test_clock'::regnamespace, 'pg_toast'::regnamespace)
$$;

-- The rows that tables have from the beginning, and where sequences are then.
CREATE TABLE test_clock.first_rows (of regclass, rows regclass, columns text);
CREATE TABLE test_clock.first_values (of regclass, value bigint, is_called boolean);
DO $$
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
END
$$;

-- False, and nothing is changed, if the test has altered more than rows.
CREATE FUNCTION test_clock.reset() RETURNS boolean LANGUAGE plpgsql SET session_replication_role = replica AS $$
DECLARE
    t regclass;
    r test_clock.first_rows;
BEGIN
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

CREATE TABLE test_clock.original (altered_by text);
INSERT INTO test_clock.original SELECT test_clock.altered_by();
