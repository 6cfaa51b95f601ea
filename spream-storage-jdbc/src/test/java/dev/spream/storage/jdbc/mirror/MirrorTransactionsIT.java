package dev.spream.storage.jdbc.mirror;

import static dev.spream.storage.jdbc.mirror.MirrorBatch.transaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.StorageException;
import dev.spream.core.record.TypeCode;
import dev.spream.storage.jdbc.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of whole transactions: each takes effect completely or not at all, whatever foreign keys there are. */
@Timeout(120)
final class MirrorTransactionsIT {
    private static final String IMMEDIATE = "";
    private static final String DEFERRED = " DEFERRABLE INITIALLY DEFERRED";
    private static final String CASCADING = " ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED";
    private static final MirrorChanges WRITERS =
            MirrorChanges.ofNames("Writers").column("Born", TypeCode.INT64);
    /** Its name is before that of the table that it refers to. */
    private static final MirrorChanges BOOKS = MirrorChanges.of("Books")
            .key("Isbn", TypeCode.INT64)
            .column("Writer", TypeCode.INT64)
            .column("Title", TypeCode.STRING);

    private final TestDatabase database = new TestDatabase();
    private final MirrorRows rows = new MirrorRows(database);

    @AfterEach
    void close() {
        database.close();
    }

    private JdbcMirror mirror(DataSource source) {
        return JdbcMirror.builder(source, "library").build();
    }

    private JdbcMirror mirror(String foreignKey) {
        database.execute(
                "CREATE TABLE public.\"Writers\" (\"Id\" bigint PRIMARY KEY, \"Name\" text NOT NULL UNIQUE, \"Born\" bigint DEFAULT 1900)",
                "CREATE TABLE public.\"Books\" (\"Isbn\" bigint PRIMARY KEY, \"Writer\" bigint NOT NULL REFERENCES public.\"Writers\"%s, \"Title\" varchar(9) UNIQUE)"
                        .formatted(foreignKey));
        return mirror(database.dataSource());
    }

    @ParameterizedTest
    @ValueSource(strings = {IMMEDIATE, DEFERRED, CASCADING})
    void foreign_keys_hold_in_a_transaction_that_writes_and_deletes_rows_of_both_tables(String foreignKey)
            throws Exception {
        JdbcMirror mirror = mirror(foreignKey);
        mirror.consume(transaction(
                BOOKS.insert(1, "{\"Isbn\":\"7\"}", "{\"Writer\":\"1\",\"Title\":\"a\"}"),
                WRITERS.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"Ann\",\"Born\":\"1950\"}")));
        mirror.consume(
                transaction( // the book moves to another writer, and the first one is deleted
                        WRITERS.delete(2, "{\"Id\":\"1\"}"),
                        WRITERS.insert(2, "{\"Id\":\"2\"}", "{\"Name\":\"Bob\",\"Born\":\"1960\"}"),
                        BOOKS.update(2, "{\"Isbn\":\"7\"}", "{\"Writer\":\"2\"}")));
        assertThat(rows.of("\"Writers\"", "1")).containsExactly("(2,Bob,1960)");
        assertThat(rows.of("\"Books\"", "1")).containsExactly("(7,2,a)");

        mirror.consume(
                transaction( // a title that one book leaves is that of another
                        BOOKS.delete(3, "{\"Isbn\":\"7\"}"),
                        BOOKS.insert(3, "{\"Isbn\":\"8\"}", "{\"Writer\":\"2\",\"Title\":\"a\"}")));
        assertThat(rows.of("\"Books\"", "1")).containsExactly("(8,2,a)");

        mirror.consume(transaction(WRITERS.delete(4, "{\"Id\":\"2\"}"), BOOKS.delete(4, "{\"Isbn\":\"8\"}")));
        assertThat(rows.of("\"Writers\"", "1")).isEmpty();
        assertThat(rows.of("\"Books\"", "1")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {IMMEDIATE, DEFERRED, CASCADING})
    void a_row_that_is_deleted_and_inserted_again_keeps_those_that_refer_to_it_and_gets_defaults(String foreignKey)
            throws Exception {
        JdbcMirror mirror = mirror(foreignKey);
        mirror.consume(transaction(
                WRITERS.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"Ann\",\"Born\":\"1950\"}"),
                BOOKS.insert(1, "{\"Isbn\":\"7\"}", "{\"Writer\":\"1\",\"Title\":\"a\"}")));

        mirror.consume(transaction(
                WRITERS.delete(2, "{\"Id\":\"1\"}"), WRITERS.insert(2, "{\"Id\":\"1\"}", "{\"Name\":\"Eve\"}")));

        assertThat(rows.of("\"Writers\"", "1")).containsExactly("(1,Eve,1900)");
        assertThat(rows.of("\"Books\"", "1")).containsExactly("(7,1,a)");
    }

    @Test
    void deferred_constraints_hold_where_no_order_of_statements_would_do() throws Exception {
        database.execute(
                "CREATE TABLE public.\"Writers\" (\"Id\" bigint PRIMARY KEY, \"Name\" text UNIQUE DEFERRABLE INITIALLY DEFERRED, \"Born\" bigint)",
                "CREATE TABLE public.\"Books\" (\"Isbn\" bigint PRIMARY KEY, \"Writer\" bigint REFERENCES public.\"Writers\", \"Title\" text)",
                "ALTER TABLE public.\"Writers\" ADD FOREIGN KEY (\"Born\") REFERENCES public.\"Books\" DEFERRABLE INITIALLY DEFERRED");
        JdbcMirror mirror = mirror(database.dataSource());
        mirror.consume(transaction(
                WRITERS.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"Ann\",\"Born\":\"7\"}"),
                BOOKS.insert(1, "{\"Isbn\":\"7\"}", "{\"Writer\":\"1\",\"Title\":\"a\"}")));

        mirror.consume(transaction(
                WRITERS.delete(2, "{\"Id\":\"1\"}"),
                WRITERS.insert(2, "{\"Id\":\"2\"}", "{\"Name\":\"Ann\",\"Born\":\"7\"}"),
                BOOKS.update(2, "{\"Isbn\":\"7\"}", "{\"Writer\":\"2\"}")));

        assertThat(rows.of("\"Writers\"", "1")).containsExactly("(2,Ann,7)");
        assertThat(rows.of("\"Books\"", "1")).containsExactly("(7,2,a)");
    }

    @Test
    void changes_of_one_key_take_effect_in_the_order_of_the_transaction() throws Exception {
        JdbcMirror mirror = mirror(IMMEDIATE);
        mirror.consume(transaction(
                WRITERS.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"Ann\"}"),
                WRITERS.update(1, "{\"Id\":\"1\"}", "{\"Name\":\"Bob\"}"),
                WRITERS.insert(1, "{\"Id\":\"2\"}", "{\"Name\":\"Cid\"}"),
                WRITERS.update(1, "{\"Id\":\"1\"}", "{\"Born\":\"1970\"}"),
                WRITERS.delete(1, "{\"Id\":\"2\"}")));
        assertThat(rows.of("\"Writers\"", "1")).containsExactly("(1,Bob,1970)");
    }

    @Test
    void a_transaction_with_a_value_that_is_refused_leaves_nothing_and_is_not_tried_change_by_change()
            throws Exception {
        JdbcMirror mirror = mirror(IMMEDIATE);
        MirrorBatch refused = transaction(
                WRITERS.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"Ann\"}"),
                BOOKS.insert(1, "{\"Isbn\":\"7\"}", "{\"Writer\":\"1\",\"Title\":\"more than nine\"}"));

        assertThatExceptionOfType(NonRetryableException.class)
                .isThrownBy(() -> mirror.consume(refused))
                .withMessageContaining("the transaction tx1 of 2026-01-01T00:00:01Z with 2 changes was rejected")
                .withMessageContaining("for column \"Title\"")
                .withMessageNotContaining("more than nine");
        assertThat(rows.of("\"Writers\"", "1")).isEmpty();

        database.execute("ALTER TABLE public.\"Books\" ALTER \"Title\" TYPE varchar(90)");
        mirror.consume(refused);
        assertThat(rows.of("\"Books\"", "1")).containsExactly("(7,1,\"more than nine\")");
    }

    @ParameterizedTest
    @ValueSource(strings = {IMMEDIATE, DEFERRED})
    void a_row_before_the_one_that_it_refers_to_is_refused_with_a_hint_at_commit_order(String foreignKey)
            throws Exception {
        JdbcMirror mirror = mirror(foreignKey);
        MirrorBatch early = transaction(BOOKS.insert(2, "{\"Isbn\":\"7\"}", "{\"Writer\":\"1\",\"Title\":\"a\"}"));

        assertThatExceptionOfType(NonRetryableException.class)
                .isThrownBy(() -> mirror.consume(early))
                .withMessageContaining("constraint \"Books_Writer_fkey\"")
                .withMessageContaining("transaction-mode=commit-order");

        mirror.consume(transaction(WRITERS.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"Ann\"}")));
        mirror.consume(early);
        assertThat(rows.of("\"Books\"", "1")).containsExactly("(7,1,a)");
    }

    @Test
    void a_foreign_key_that_is_added_later_is_found() throws Exception {
        JdbcMirror mirror = mirror(DEFERRED);
        mirror.consume(transaction(
                WRITERS.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"Ann\"}"),
                BOOKS.insert(1, "{\"Isbn\":\"7\"}", "{\"Writer\":\"1\",\"Title\":\"a\"}")));
        database.execute(
                "ALTER TABLE public.\"Books\" DROP CONSTRAINT \"Books_Writer_fkey\"",
                "ALTER TABLE public.\"Books\" ADD FOREIGN KEY (\"Writer\") REFERENCES public.\"Writers\"");

        mirror.consume(transaction(
                BOOKS.insert(2, "{\"Isbn\":\"8\"}", "{\"Writer\":\"2\",\"Title\":\"b\"}"),
                WRITERS.insert(2, "{\"Id\":\"2\"}", "{\"Name\":\"Bob\"}")));

        assertThat(rows.of("\"Books\"", "1")).containsExactly("(7,1,a)", "(8,2,b)");
    }

    @Test
    void a_transaction_whose_commit_is_not_confirmed_takes_effect_once() throws Exception {
        mirror(IMMEDIATE);
        AtomicBoolean losing = new AtomicBoolean();
        JdbcMirror mirror = mirror(losingConfirmations(database.dataSource(), losing));
        mirror.consume(transaction(
                WRITERS.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"Ann\"}"),
                BOOKS.insert(1, "{\"Isbn\":\"7\"}", "{\"Writer\":\"1\",\"Title\":\"a\"}")));
        MirrorBatch written = transaction(
                WRITERS.insert(2, "{\"Id\":\"2\"}", "{\"Name\":\"Bob\"}"),
                BOOKS.update(2, "{\"Isbn\":\"7\"}", "{\"Writer\":\"2\",\"Title\":\"b\"}"));
        losing.set(true);
        mirror.consume(written);
        assertThat(written.failures().get(0))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.retryable()).isTrue());
        losing.set(false);

        mirror.consume(transaction(BOOKS.update(3, "{\"Isbn\":\"7\"}", "{\"Title\":\"c\"}")));
        mirror.consume(written); // as after a crash

        assertThat(rows.of("\"Books\"", "1")).containsExactly("(7,2,c)");
        assertThat(rows.texts("SELECT count(*) FROM spream.applied_change")).containsExactly("5");
    }

    /** Connections that commit, and then break if they are to. */
    private static DataSource losingConfirmations(DataSource source, AtomicBoolean losing) {
        return (DataSource) Proxy.newProxyInstance(
                MirrorTransactionsIT.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                    Object result = invoke(source, method, arguments);
                    return result instanceof Connection connection ? losingConfirmations(connection, losing) : result;
                });
    }

    private static Connection losingConfirmations(Connection connection, AtomicBoolean losing) {
        return (Connection) Proxy.newProxyInstance(
                MirrorTransactionsIT.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    Object result = invoke(connection, method, arguments);
                    if (method.getName().equals("commit") && losing.get()) {
                        throw new SQLException("the connection was lost", "08006");
                    }
                    return result;
                });
    }

    private static Object invoke(Object target, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
