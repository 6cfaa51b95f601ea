package dev.spream.storage.jdbc.ledger;

import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** A ledger whose effect is to count, so that a change that takes effect twice shows. Its clock is the test's. */
final class LedgerFixture implements AutoCloseable {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    static final Duration PAUSE = Duration.ofSeconds(3);

    final TestDatabase database = TestDatabase.with("applied changes", empty -> {
        empty.execute("CREATE TABLE public.effects (change text, at int GENERATED ALWAYS AS IDENTITY)");
        AppliedLedger.builder(empty.dataSource(), "orders").build();
    });
    private final AtomicLong nanos = new AtomicLong();

    AppliedLedger ledger() {
        return ledger("orders");
    }

    /** As another worker would have it. */
    AppliedLedger ledger(String name) {
        return AppliedLedger.builder(database.dataSource(), name)
                .pruning(PAUSE, nanos::get)
                .build();
    }

    void passTime(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    static Instant at(long second) {
        return START.plusSeconds(second);
    }

    static DataChangeRecord change(long second) {
        return new DataChangeRecord(
                at(second),
                "00000000",
                "tx" + second,
                true,
                "Orders",
                List.of(),
                List.of(new Mod(JsonObject.of("{\"Id\":\"1\"}"), JsonObject.EMPTY, JsonObject.EMPTY)),
                "UPDATE",
                "NEW_ROW",
                1,
                1,
                "",
                false);
    }

    /** A delivery at a time when everything before that second is settled. */
    static Delivery settledBefore(long second) {
        return new Delivery(new PartitionToken("p"), 1, 1, Optional.empty(), Optional.of(at(second)));
    }

    static Delivery replay() {
        return Delivery.ofReplay(new PartitionToken("p"), 1);
    }

    static void count(Connection connection, DataChangeRecord change) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO public.effects (change) VALUES (?)")) {
            insert.setString(1, change.serverTransactionId());
            insert.executeUpdate();
        }
    }

    static void countAll(Connection connection, List<DataChangeRecord> changes) throws SQLException {
        for (DataChangeRecord change : changes) {
            count(connection, change);
        }
    }

    /** The changes that took effect, in the order in which they did. */
    List<String> effects() {
        return texts("SELECT change FROM public.effects ORDER BY at");
    }

    /** The transactions of the changes that the ledger has a row for. */
    List<String> entries() {
        return texts("SELECT transaction_id FROM spream.applied_change ORDER BY commit_nanos");
    }

    /** In seconds after the start. */
    long settledBelow() {
        return Long.parseLong(texts("SELECT (settled_below / 1000000000 - %d)::text FROM spream.applied_ledger"
                        .formatted(START.getEpochSecond()))
                .getFirst());
    }

    List<String> texts(String sql) {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
