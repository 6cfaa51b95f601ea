package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Declarations of keys, parents, indexes and altered columns that Spanner refuses. */
class SchemaRulesIT {
    private static EmulatedSpanner spanner;
    private static DatabaseId google;
    private static DatabaseId postgres;

    @BeforeAll
    static void start() throws Exception {
        spanner = EmulatedSpanner.found();
        google = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE P (A INT64 NOT NULL, B STRING(10), N INT64, S STRING(9), J JSON, Ar ARRAY<STRING(5)>,"
                        + " T TIMESTAMP DEFAULT (CURRENT_TIMESTAMP())) PRIMARY KEY (A, B DESC)",
                "CREATE TABLE C (A INT64 NOT NULL, B STRING(10), X INT64) PRIMARY KEY (A, B DESC, X),"
                        + " INTERLEAVE IN PARENT P",
                "CREATE INDEX PByS ON P (S) STORING (N)");
        postgres = spanner.createDatabase(
                Dialect.POSTGRESQL, "CREATE TABLE t (id bigint primary key, s varchar(10), n numeric, j jsonb)");
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            X INT64 NOT NULL                             | X            | does not reference parent key column A.
            A INT64 NOT NULL                             | A            | does not reference parent key column B.
            A INT64 NOT NULL, B STRING(10), X INT64      | A, X, B DESC | references parent key column B at incorrect position 2.
            A STRING(9) NOT NULL, B STRING(10)           | A, B DESC    | references parent key column A with incorrect type STRING (should be INT64).
            A INT64 NOT NULL, B STRING(20)               | A, B DESC    | references parent key column B with incorrect length 20 (should be 10).
            A INT64 NOT NULL, B STRING(10)               | A, B         | references parent key column B with incorrect order DESC.
            A INT64, B STRING(10)                        | A, B DESC    | references parent key column A that is not null, but child key is nullable.
            A INT64 NOT NULL, B STRING(10) NOT NULL      | A, B DESC    | references parent key column B that is nullable, but child key is not null.
            """)
    void a_table_whose_key_does_not_begin_with_its_parents_is_refused(String columns, String key, String error) {
        assertThat(refusal(
                        google, "CREATE TABLE D (%s) PRIMARY KEY (%s), INTERLEAVE IN PARENT P".formatted(columns, key)))
                .contains("FAILED_PRECONDITION: Table D " + error);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            A INT64, J JSON            | A, J | INVALID_ARGUMENT: Column K.J has type JSON, but is part of the primary key.
            A ARRAY<INT64>             | A    | INVALID_ARGUMENT: Column K.A has type ARRAY, but is part of the primary key.
            A INT64                    | A, A | INVALID_ARGUMENT: Table K references key column A more than once.
            A INT64                    | B    | FAILED_PRECONDITION: Table K references nonexistent key column B.
            A INT64, A STRING(3)       | A    | FAILED_PRECONDITION: Duplicate column name K.A.
            A INT64, T STRING(3) OPTIONS (allow_commit_timestamp = true) | A | FAILED_PRECONDITION: Column K.T has invalid allow_commit_timestamp option.
            A INT64, T TIMESTAMP DEFAULT (CURRENT_TIMESTAMP()) OPTIONS (allow_commit_timestamp = true) | A | FAILED_PRECONDITION: Cannot use commit timestamp column `T` as a column with default value.
            """)
    void a_table_of_columns_that_cannot_be_is_refused(String columns, String key, String error) {
        assertThat(refusal(google, "CREATE TABLE K (%s) PRIMARY KEY (%s)".formatted(columns, key)))
                .contains(error);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            P (S, S)             | INVALID_ARGUMENT: Index I specifies key column S twice.
            P (Nothing)          | INVALID_ARGUMENT: Index I specifies key column Nothing which does not exist in the index's base table.
            P (J)                | FAILED_PRECONDITION: Cannot reference JSON J in the creation of index I.
            P (Ar)               | FAILED_PRECONDITION: Cannot reference ARRAY Ar in the creation of index I.
            P (S) STORING (A)    | FAILED_PRECONDITION: Index I specifies stored column A which is a key of table P.
            P (S) STORING (S)    | INVALID_ARGUMENT: Index I specifies stored column S already specified as primary key.
            P (S) STORING (N, N) | INVALID_ARGUMENT: Index I specifies key column N twice.
            """)
    void an_index_of_columns_that_cannot_be_is_refused(String columns, String error) {
        assertThat(refusal(google, "CREATE INDEX I ON " + columns)).contains(error);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            P ALTER COLUMN N STRING(10)         | INVALID_ARGUMENT: Cannot change type of column `N` from `INT64` to `STRING`
            P ALTER COLUMN N FLOAT64            | INVALID_ARGUMENT: Cannot change type of column `N` from `INT64` to `FLOAT64`
            P ALTER COLUMN Ar ARRAY<INT64>      | INVALID_ARGUMENT: Cannot change type of column `Ar` from `ARRAY<STRING>` to `ARRAY<INT64>`
            P ALTER COLUMN B STRING(20)         | INVALID_ARGUMENT: Requested change to key column P.B could not be made.
            C ALTER COLUMN B STRING(20)         | INVALID_ARGUMENT: Cannot alter parent key column C.B.
            C ALTER COLUMN X INT64 NOT NULL     | INVALID_ARGUMENT: Cannot change key column C.X.
            P ALTER COLUMN S STRING(9) NOT NULL | FAILED_PRECONDITION: Changing NOT NULL constraints on column S is not allowed because it affects index PByS.
            P ALTER COLUMN T SET OPTIONS (allow_commit_timestamp = true) | FAILED_PRECONDITION: Cannot use commit timestamp column `T` as a column with default value.
            """)
    void an_alteration_that_cannot_be_is_refused(String alteration, String error) {
        assertThat(refusal(google, "ALTER TABLE " + alteration)).contains(error);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            CREATE TABLE k (a numeric primary key)        | INVALID_ARGUMENT: Column k.a has type PG.NUMERIC, but is part of the primary key.
            CREATE TABLE k (a bigint, primary key (a, a)) | INVALID_ARGUMENT: Table k references key column a more than once.
            CREATE INDEX i ON t (j)                       | FAILED_PRECONDITION: Cannot reference PG.JSONB j in the creation of index i.
            CREATE INDEX i ON t (s) INCLUDE (id)          | FAILED_PRECONDITION: Index i specifies stored column id which is a key of table t.
            ALTER TABLE t ALTER COLUMN id TYPE varchar    | INVALID_ARGUMENT: Cannot change type of column `id` from `INT64` to `STRING`
            """)
    void declarations_in_postgresql_are_refused_as_in_googlesql(String ddl, String error) {
        assertThat(refusal(postgres, ddl)).contains(error);
    }

    @Test
    void columns_may_change_their_length_and_between_text_and_bytes() throws Exception {
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE K (S STRING(10), V STRING(5), Ar ARRAY<STRING(5)>, N INT64) PRIMARY KEY (S)",
                "CREATE INDEX ByV ON K (V) STORING (N)");
        spanner.alter(
                id,
                "ALTER TABLE K ALTER COLUMN S STRING(20)",
                "ALTER TABLE K ALTER COLUMN V BYTES(MAX)",
                "ALTER TABLE K ALTER COLUMN Ar ARRAY<BYTES(20)>",
                "ALTER TABLE K ALTER COLUMN N INT64 NOT NULL");
        assertThat(spanner.ddl(id).getFirst())
                .contains("S STRING(20)", "V BYTES(MAX)", "Ar ARRAY<BYTES(20)>", "N INT64 NOT NULL");
    }

    private static String refusal(DatabaseId id, String ddl) {
        return String.valueOf(catchThrowable(() -> spanner.alter(id, ddl)));
    }
}
