package dev.spream.benchmarks.delivery;

import dev.spream.benchmarks.harness.Parallel;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Iterator;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import javax.sql.DataSource;

/**
 * A plain program without spream, limited to writing: for each partition a thread and a connection, one upsert a change
 * in JDBC batches, and a commit a batch. It neither records what was applied nor orders keys that move between
 * partitions.
 */
record PlainUpsert(DataSource database, int batchSize) {
    private static final String UPSERT = """
            INSERT INTO plain."Orders" ("OrderId", "Customer", "Amount", "Paid", "ChangedAt") VALUES (?, ?, ?, ?, ?)
            ON CONFLICT ("OrderId") DO UPDATE SET "Customer" = excluded."Customer", "Amount" = excluded."Amount",
                "Paid" = excluded."Paid", "ChangedAt" = excluded."ChangedAt\"""";

    /** Writes all changes of the source, and returns their number. */
    long run(OrdersSource source, int partitions) throws InterruptedException, ExecutionException {
        return Parallel.sum(
                Executors.newVirtualThreadPerTaskExecutor(), partitions, i -> () -> write(source.changes(i)));
    }

    private long write(Iterator<DataChangeRecord> changes) throws SQLException {
        long written = 0;
        try (Connection connection = database.getConnection();
                PreparedStatement upsert = connection.prepareStatement(UPSERT)) {
            connection.setAutoCommit(false);
            while (changes.hasNext()) {
                for (Mod mod : changes.next().mods()) {
                    bind(upsert, mod);
                    upsert.addBatch();
                }
                written++;
                if (written % batchSize == 0 || !changes.hasNext()) {
                    upsert.executeBatch();
                    connection.commit();
                }
            }
        }
        return written;
    }

    private static void bind(PreparedStatement upsert, Mod mod) throws SQLException {
        JsonObject values = mod.newValues();
        upsert.setLong(1, mod.keys().int64("OrderId").orElseThrow());
        upsert.setString(2, values.string("Customer").orElseThrow());
        upsert.setBigDecimal(3, new BigDecimal(values.string("Amount").orElseThrow()));
        upsert.setBoolean(4, Boolean.TRUE.equals(values.get("Paid")));
        upsert.setObject(
                5, Instant.parse(values.string("ChangedAt").orElseThrow()).atOffset(ZoneOffset.UTC));
    }
}
