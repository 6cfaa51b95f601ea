package dev.spream.emulator;

import static dev.spream.emulator.EmulatedSpanner.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.BatchReadOnlyTransaction;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Partition;
import com.google.cloud.spanner.PartitionOptions;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.ReadOnlyTransaction;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.TimestampBound;
import com.google.cloud.spanner.Value;
import dev.spream.emulator.control.DrivenClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of reads of the past, in both dialects, by a clock that the test moves. */
@Timeout(60)
class StaleReadsIT {
    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private static DrivenClock clock;
    private static EmulatedSpanner spanner;

    @BeforeAll
    static void start() {
        clock = DrivenClock.startingAt(START);
        spanner = EmulatedSpanner.of(SpannerEmulator.builder().clock(clock).start());
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    private static DatabaseId create(Dialect dialect) throws Exception {
        return dialect == Dialect.POSTGRESQL
                ? spanner.createDatabase(
                        dialect,
                        "CREATE TABLE orders (id bigint NOT NULL, customer varchar, total numeric, changed"
                                + " spanner.commit_timestamp, PRIMARY KEY (id))",
                        "CREATE TABLE lines (id bigint NOT NULL, no bigint NOT NULL, what varchar, PRIMARY KEY (id, no))"
                                + " INTERLEAVE IN PARENT orders ON DELETE CASCADE",
                        "CREATE INDEX orders_by_customer ON orders (customer)",
                        "CREATE VIEW totals SQL SECURITY INVOKER AS SELECT customer, total FROM orders")
                : spanner.createDatabase(
                        dialect,
                        "CREATE TABLE orders (id INT64 NOT NULL, customer STRING(MAX), total NUMERIC, changed TIMESTAMP"
                                + " OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (id)",
                        "CREATE TABLE lines (id INT64 NOT NULL, no INT64, what STRING(MAX)) PRIMARY KEY (id, no),"
                                + " INTERLEAVE IN PARENT orders ON DELETE CASCADE",
                        "CREATE INDEX orders_by_customer ON orders (customer)",
                        "CREATE VIEW totals SQL SECURITY INVOKER AS SELECT orders.customer, orders.total FROM orders");
    }

    private static Mutation order(long id, String customer) {
        return Mutation.newInsertOrUpdateBuilder("orders")
                .set("id")
                .to(id)
                .set("customer")
                .to(customer)
                .set("changed")
                .to(Value.COMMIT_TIMESTAMP)
                .build();
    }

    private static Mutation line(long id, long no, String what) {
        return Mutation.newInsertOrUpdateBuilder("lines")
                .set("id")
                .to(id)
                .set("no")
                .to(no)
                .set("what")
                .to(what)
                .build();
    }

    /** Returns what every kind of read finds: by key, by an index, a query, a join, a view. */
    private static List<String> everything(ReadContext context) {
        List<String> found = new ArrayList<>();
        found.add("key " + texts(rows(context.read("orders", KeySet.all(), List.of("id", "customer")))));
        found.add("one " + texts(rows(context.read("lines", KeySet.singleKey(Key.of(1, 1)), List.of("what")))));
        found.add("index "
                + texts(rows(context.readUsingIndex(
                        "orders", "orders_by_customer", KeySet.prefixRange(Key.of("ann")), List.of("id")))));
        found.add("join "
                + texts(rows(context.executeQuery(Statement.of(
                        "SELECT o.id, l.what FROM orders o JOIN lines l" + " ON o.id = l.id ORDER BY o.id, l.no")))));
        found.add("view "
                + texts(rows(context.executeQuery(Statement.of("SELECT customer FROM totals ORDER BY customer")))));
        return found;
    }

    private static String texts(List<Struct> rows) {
        return rows.stream()
                .map(row -> {
                    List<String> values = new ArrayList<>();
                    for (int i = 0; i < row.getColumnCount(); i++) {
                        values.add(row.isNull(i) ? "null" : row.getValue(i).toString());
                    }
                    return String.join(",", values);
                })
                .toList()
                .toString();
    }

    @ParameterizedTest
    @EnumSource(
            value = Dialect.class,
            names = {"GOOGLE_STANDARD_SQL", "POSTGRESQL"})
    void every_kind_of_read_at_a_timestamp_finds_the_rows_of_that_time(Dialect dialect) throws Exception {
        DatabaseClient database = spanner.connect(create(dialect));
        List<Timestamp> times = new ArrayList<>();
        List<List<String>> states = new ArrayList<>();
        List<List<Mutation>> commits = List.of(
                List.of(order(1, "ann"), order(2, "bob"), line(1, 1, "pen"), line(1, 2, "ink")),
                List.of(order(1, "eve"), line(1, 1, "nib")),
                List.of(order(3, "ann"), Mutation.delete("orders", Key.of(2))),
                List.of(Mutation.delete("orders", Key.of(1))),
                List.of(order(1, "ann"), order(2, "ann"), line(1, 1, "cap")),
                List.of(Mutation.delete("orders", KeySet.all())));
        for (List<Mutation> mutations : commits) {
            times.add(database.write(mutations));
            states.add(everything(database.readOnlyTransaction()));
            clock.advance(Duration.ofSeconds(10));
        }
        assertThat(states).doesNotHaveDuplicates();
        assertThat(states.getFirst())
                .containsExactly(
                        "key [1,ann, 2,bob]", "one [pen]", "index [1]", "join [1,pen, 1,ink]", "view [ann, bob]");
        for (int i = 0; i < times.size(); i++) {
            try (ReadOnlyTransaction past =
                    database.readOnlyTransaction(TimestampBound.ofReadTimestamp(times.get(i)))) {
                assertThat(everything(past)).as("state %d", i).isEqualTo(states.get(i));
                assertThat(past.getReadTimestamp()).isEqualTo(times.get(i));
            }
        }
        assertThat(texts(rows(database.singleUse(TimestampBound.ofExactStaleness(45, TimeUnit.SECONDS))
                        .read("orders", KeySet.all(), List.of("customer")))))
                .isEqualTo("[eve, bob]");
        assertThat(texts(rows(database.singleUse(TimestampBound.ofReadTimestamp(times.get(1)))
                        .executeQuery(Statement.of("SELECT customer, changed FROM orders WHERE id = 1")))))
                .isEqualTo("[eve," + times.get(1) + "]");
    }

    @Test
    void a_transaction_at_a_past_time_keeps_its_rows_while_others_write() throws Exception {
        DatabaseClient database = spanner.connect(create(Dialect.GOOGLE_STANDARD_SQL));
        Timestamp first = database.write(List.of(order(1, "ann")));
        Timestamp second = database.write(List.of(order(1, "bob"), order(2, "bob")));
        database.write(List.of(order(1, "zoe")));
        try (ReadOnlyTransaction past = database.readOnlyTransaction(TimestampBound.ofReadTimestamp(first));
                ReadOnlyTransaction later = database.readOnlyTransaction(TimestampBound.ofReadTimestamp(second))) {
            List<String> before = everything(past);
            assertThat(everything(later)).contains("key [1,bob, 2,bob]");
            database.write(List.of(order(1, "eve"), order(3, "eve")));
            database.readWriteTransaction()
                    .run(transaction ->
                            transaction.executeUpdate(Statement.of("UPDATE orders SET customer = 'x' WHERE id = 2")));
            assertThat(everything(past)).isEqualTo(before).contains("key [1,ann]");
        }
    }

    @Test
    void partitions_of_a_query_and_a_read_are_read_at_the_time_of_their_transaction() throws Exception {
        DatabaseId id = create(Dialect.GOOGLE_STANDARD_SQL);
        DatabaseClient database = spanner.connect(id);
        Timestamp first = database.write(List.of(order(1, "ann")));
        database.write(List.of(order(1, "bob"), order(2, "bob")));
        try (BatchReadOnlyTransaction batch =
                spanner.client().getBatchClient(id).batchReadOnlyTransaction(TimestampBound.ofReadTimestamp(first))) {
            List<Partition> partitions = new ArrayList<>(batch.partitionQuery(
                    PartitionOptions.getDefaultInstance(), Statement.of("SELECT customer FROM orders")));
            partitions.addAll(batch.partitionRead(
                    PartitionOptions.getDefaultInstance(), "orders", KeySet.all(), List.of("customer")));
            List<String> found = new ArrayList<>();
            for (Partition partition : partitions) {
                rows(batch.execute(partition)).forEach(row -> found.add(row.getString(0)));
            }
            assertThat(found).containsExactly("ann", "ann");
        }
    }

    @Test
    void a_bounded_staleness_is_answered_and_only_for_a_single_read() throws Exception {
        DatabaseClient database = spanner.connect(create(Dialect.GOOGLE_STANDARD_SQL));
        Timestamp written = database.write(List.of(order(1, "ann")));
        for (TimestampBound bound :
                List.of(TimestampBound.ofMaxStaleness(1, TimeUnit.HOURS), TimestampBound.ofMinReadTimestamp(written))) {
            try (ReadOnlyTransaction read = database.singleUseReadOnlyTransaction(bound)) {
                assertThat(rows(read.read("orders", KeySet.all(), List.of("id"))))
                        .hasSize(1);
                assertThat(read.getReadTimestamp()).isGreaterThanOrEqualTo(written);
            }
        }
    }

    @Test
    void a_time_that_is_not_kept_any_more_is_refused() throws Exception {
        DatabaseId id = create(Dialect.GOOGLE_STANDARD_SQL);
        DatabaseClient database = spanner.connect(id);
        Timestamp written = database.write(List.of(order(1, "ann")));
        clock.advance(Duration.ofMinutes(59));
        database.write(List.of(order(1, "bob")));
        assertThat(texts(rows(at(database, written)))).isEqualTo("[ann]");
        clock.advance(Duration.ofMinutes(2));
        refuses(database, written);

        Timestamp unaltered = database.write(List.of(order(1, "eve")));
        spanner.alter(id, "CREATE TABLE other (id INT64) PRIMARY KEY (id)");
        database.write(List.of(order(1, "zoe")));
        assertThat(texts(rows(at(database, unaltered)))).isEqualTo("[eve]");
        spanner.alter(id, "ALTER TABLE orders ADD COLUMN note STRING(MAX)");
        refuses(database, unaltered);
    }

    private static ResultSet at(DatabaseClient database, Timestamp time) {
        return database.singleUse(TimestampBound.ofReadTimestamp(time))
                .executeQuery(Statement.of("SELECT customer FROM orders"));
    }

    private static void refuses(DatabaseClient database, Timestamp time) {
        assertThatThrownBy(() -> rows(at(database, time)))
                .isInstanceOfSatisfying(
                        SpannerException.class,
                        e -> assertThat(e.getErrorCode()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                .hasMessageContaining("has exceeded the maximum timestamp staleness");
    }

    @Test
    void a_time_in_the_future_is_awaited_and_one_beyond_an_hour_is_refused() throws Exception {
        DatabaseClient database = spanner.connect(create(Dialect.GOOGLE_STANDARD_SQL));
        Timestamp written = database.write(List.of(order(1, "ann")));
        Timestamp soon = Timestamp.ofTimeSecondsAndNanos(written.getSeconds() + 60, 0);
        var read = CompletableFuture.supplyAsync(() -> texts(rows(at(database, soon))));
        assertThatThrownBy(() -> read.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        clock.advance(Duration.ofSeconds(30));
        database.write(List.of(order(1, "bob")));
        clock.advance(Duration.ofSeconds(30));
        assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo("[bob]");

        Timestamp late = Timestamp.ofTimeSecondsAndNanos(written.getSeconds() + 7200, 0);
        assertThatThrownBy(() -> rows(at(database, late)))
                .isInstanceOfSatisfying(
                        SpannerException.class,
                        e -> assertThat(e.getErrorCode()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
    }
}
