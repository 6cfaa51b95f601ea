package dev.spream.storage.jdbc.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import dev.spream.core.serialization.TypeRegistry;
import dev.spream.projection.FailureKind;
import dev.spream.projection.FoldableProjection;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.TypedEvents;
import dev.spream.serializer.jackson.JacksonSerializer;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.testkit.projection.SqlProjectionTester;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of tables that are declared. The tester compares one batch with a batch for each event. */
final class TableProjectionIT {
    private static final HikariDataSource DATABASE =
            JdbcPool.open(PostgresDatabase.create().jdbcUrl(), Optional.empty(), Optional.empty(), 4);
    private static final LocalDate MONDAY = LocalDate.of(2026, 3, 2);
    private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");
    private static final TypeRegistry TYPES = TypeRegistry.builder(JacksonSerializer.create())
            .type("OrderPaid", Paid.class)
            .type("OrderRenamed", Renamed.class)
            .type("OrderClosed", Closed.class)
            .build();
    private static final TypedEvents<OrderEvent> EVENTS = TypedEvents.of(OrderEvent.class, TYPES);
    private static final TypedEvents<Paid> PAID = TypedEvents.of(Paid.class, TYPES);

    private sealed interface OrderEvent {}

    private record Paid(@Nullable String customer, LocalDate day, long cents, BigDecimal tax, Instant at)
            implements OrderEvent {
        static Paid of(@Nullable String customer, LocalDate day, long cents) {
            return new Paid(customer, day, cents, new BigDecimal("0.10"), NOON.plusSeconds(cents));
        }
    }

    private record Renamed(String name) implements OrderEvent {}

    private record Closed() implements OrderEvent {}

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    private static TableDeclaration<Paid> totals() {
        return TableProjection.table("customer_totals", PAID).key("customer", Paid::customer);
    }

    private static TableDeclaration<OrderEvent> orders() {
        return TableProjection.table("orders", EVENTS)
                .key("id")
                .count("events")
                .latest("name", SqlType.TEXT, event -> event instanceof Renamed(String name) ? name : null);
    }

    @Test
    void aggregates_share_rows_whose_columns_do_not_depend_on_their_order() throws Exception {
        TableProjection<Paid> projection = totals().key("day", SqlType.DATE, Paid::day)
                .sum("total", Paid::cents)
                .sumNumeric("tax", Paid::tax)
                .count("payments")
                .max("last_at", SqlType.TIMESTAMPTZ, Paid::at)
                .min("first_at", SqlType.TIMESTAMPTZ, Paid::at)
                .build();
        SqlProjectionTester tester = SqlProjectionTester.of(projection, DATABASE)
                .given("order-1", PAID.newEvents(Paid.of("ann", MONDAY, 5), Paid.of("bob", MONDAY, 7)))
                .given("order-2", PAID.newEvents(Paid.of("ann", MONDAY, -3), Paid.of("ann", MONDAY.plusDays(1), 1)))
                .given("order-3", EVENTS.newEvents(new Renamed("of another class")));
        assertThat(tester.rows("TABLE customer_totals ORDER BY customer, day"))
                .containsExactly(
                        row("ann", MONDAY, 2L, "0.20", 2L, 5, -3),
                        row("ann", MONDAY.plusDays(1), 1L, "0.10", 1L, 1, 1),
                        row("bob", MONDAY, 7L, "0.10", 1L, 7, 7));
    }

    private static List<Object> row(
            String customer, LocalDate day, long total, String tax, long payments, long last, long first) {
        return List.of(
                customer,
                Date.valueOf(day),
                total,
                new BigDecimal(tax),
                payments,
                Timestamp.from(NOON.plusSeconds(last)),
                Timestamp.from(NOON.plusSeconds(first)));
    }

    @Test
    void a_row_of_one_aggregate_has_latest_values_and_can_be_deleted() throws Exception {
        SqlProjectionTester tester = SqlProjectionTester.of(
                        orders().deleteWhen(event -> event instanceof Closed).build(), DATABASE)
                .given("renamed", EVENTS.newEvents(new Renamed("a"), new Renamed("b"), Paid.of("ann", MONDAY, 1)))
                .given("closed", EVENTS.newEvents(new Renamed("a"), new Closed()))
                .given("reopened", EVENTS.newEvents(new Renamed("a"), new Closed(), Paid.of("ann", MONDAY, 1)))
                .given("quoted", EVENTS.newEvents(new Renamed("{\"a\\b\",null}")));
        assertThat(tester.rows("SELECT id, events, coalesce(name, 'none') FROM orders ORDER BY id"))
                .containsExactly(
                        List.of("quoted", 1L, "{\"a\\b\",null}"),
                        List.of("renamed", 3L, "b"),
                        List.of("reopened", 1L, "none"));
    }

    @Test
    void keys_that_the_database_compares_as_equal_are_one_row() throws Exception {
        TableProjection<Paid> projection = TableProjection.table("equal_keys", PAID)
                .key("tax", SqlType.NUMERIC, Paid::tax)
                .key("at", SqlType.TIMESTAMPTZ, Paid::at)
                .count("payments")
                .build();
        SqlProjectionTester tester = SqlProjectionTester.of(projection, DATABASE)
                .given("order-1", PAID.newEvents(keyed("1.0", 100), keyed("1.00", 999), keyed("100", 0)))
                .given("order-2", PAID.newEvents(keyed("1E+2", 1), keyed("0.00", 0), keyed("0E+3", 0)));
        assertThat(tester.rows("SELECT tax::text, payments FROM equal_keys ORDER BY tax"))
                .containsExactly(List.of("0", 2L), List.of("1", 2L), List.of("100", 2L));
    }

    private static Paid keyed(String tax, int nanos) {
        return new Paid("ann", MONDAY, 1, new BigDecimal(tax), NOON.plusNanos(nanos));
    }

    @Test
    void an_event_without_its_key_is_refused_by_name() {
        SqlProjectionTester tester = SqlProjectionTester.of(
                        totals().count("payments").build(), DATABASE)
                .given("order-1", PAID.newEvents(Paid.of(null, MONDAY, 5)));
        assertThatThrownBy(() -> tester.rows("TABLE customer_totals"))
                .isInstanceOfSatisfying(
                        ProjectionException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(FailureKind.POISON))
                .hasMessageContaining("no value for the key 'customer'");
    }

    @Test
    @Timeout(60)
    void a_number_with_too_many_digits_is_refused_before_it_is_added() {
        for (String tax : List.of("1E+99999999", "1E-99999999")) {
            SqlProjectionTester tester = SqlProjectionTester.of(
                            totals().sumNumeric("tax", Paid::tax).build(), DATABASE)
                    .given("order-1", PAID.newEvents(keyed("1", 0), keyed("9E+999", 0), keyed(tax, 0)));
            assertThatThrownBy(() -> tester.rows("TABLE customer_totals"))
                    .isInstanceOfSatisfying(
                            ProjectionException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(FailureKind.POISON))
                    .hasMessageContaining("column 'tax' with more than 1000 digits");
        }
    }

    @Test
    void a_sum_beyond_its_range_is_refused_rather_than_wrapped() {
        SqlProjectionTester tester = SqlProjectionTester.of(
                        totals().sum("total", Paid::cents).build(), DATABASE)
                .given("order-1", PAID.newEvents(new Paid("ann", MONDAY, Long.MAX_VALUE, BigDecimal.ONE, NOON)))
                .given("order-2", PAID.newEvents(new Paid("ann", MONDAY, Long.MAX_VALUE, BigDecimal.ONE, NOON)));
        assertThatThrownBy(() -> tester.rows("TABLE customer_totals")).hasMessageContaining("bigint out of range");
    }

    @Test
    void the_table_is_created_once_and_one_with_other_columns_is_refused() throws Exception {
        totals().count("payments").build().createTable(DATABASE);
        totals().count("payments").build().createTable(DATABASE);
        assertThatThrownBy(() -> totals().sum("total", Paid::cents).build().createTable(DATABASE))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("customer_totals")
                .hasMessageContaining("raise the revision");
        try (Connection connection = DATABASE.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE customer_totals");
        }
    }

    @Test
    void a_declaration_that_cannot_work_is_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> TableProjection.table("Totals\"; --", PAID));
        assertThatIllegalArgumentException().isThrownBy(() -> totals().count("a\"b"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> totals().count("customer"))
                .withMessageContaining("two columns 'customer'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> totals().max("name", SqlType.TEXT, Paid::customer))
                .withMessageContaining("text");
        assertThatIllegalStateException().isThrownBy(() -> totals().build());
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        totals().latest("last", SqlType.BIGINT, Paid::cents).build())
                .withMessageContaining("latest values");
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        totals().count("payments").deleteWhen(paid -> true).build())
                .withMessageContaining("its only key");
    }

    @Test
    void the_tester_compares_rows_in_any_order_and_the_content_of_arrays() throws Exception {
        SqlProjectionTester tester = SqlProjectionTester.of(
                        totals().count("payments").build(), DATABASE)
                .given("order-1", PAID.newEvents(Paid.of("bob", MONDAY, 5), Paid.of("ann", MONDAY, 7)));
        assertThat(tester.rows("SELECT customer, ARRAY[[payments]], '\\x00ff'::bytea FROM customer_totals"))
                .containsExactly(
                        List.of("ann", List.of(List.of(1L)), "00ff"), List.of("bob", List.of(List.of(1L)), "00ff"));
    }

    /** Writes the number of events of a batch, and so depends on how batches are cut. */
    private record BatchSizes() implements FoldableProjection<Connection, Long> {
        @Override
        public String name() {
            return "batch_sizes";
        }

        @Override
        public Long fold(@Nullable Long folded, EventEnvelope event) {
            return folded == null ? 1 : folded + 1;
        }

        @Override
        public void write(Connection transaction, Map<String, Long> folded) throws Exception {
            try (Statement statement = transaction.createStatement()) {
                statement.execute("CREATE TEMPORARY TABLE IF NOT EXISTS batch_sizes (size bigint)");
                statement.execute("INSERT INTO batch_sizes VALUES (%d)".formatted(folded.get("order-1")));
            }
        }
    }

    @Test
    void the_tester_finds_a_projection_that_depends_on_how_batches_are_cut() {
        SqlProjectionTester tester = SqlProjectionTester.of(new BatchSizes(), DATABASE)
                .given("order-1", PAID.newEvents(Paid.of("ann", MONDAY, 5), Paid.of("ann", MONDAY, 7)));
        assertThatThrownBy(() -> tester.rows("TABLE batch_sizes"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("'batch_sizes' after one batch");
    }
}
