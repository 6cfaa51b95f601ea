package dev.spream.examples;

import dev.spream.core.consume.Consumer;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.storage.jdbc.ledger.AppliedLedger;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Counts in PostgreSQL how many orders reached each status. Counting a change twice would be a permanent error, and
 * changes are delivered again after every crash: the ledger makes each one count once.
 */
public final class LedgerExample {
    private LedgerExample() {}

    /** Returns a consumer that counts into {@code order_status_count (status text PRIMARY KEY, orders bigint)}. */
    static Consumer counter(DataSource database) {
        AppliedLedger ledger =
                AppliedLedger.builder(database, "order-status-count").build();
        return ledger.consumer(LedgerExample::count);
    }

    private static void count(Connection connection, DataChangeRecord change) throws SQLException {
        try (var count = connection.prepareStatement("""
                INSERT INTO order_status_count AS counted VALUES (?, 1)
                ON CONFLICT (status) DO UPDATE SET orders = counted.orders + 1""")) {
            for (Mod mod : change.mods()) {
                count.setString(1, mod.newValues().string("Status").orElse("DELETED"));
                count.executeUpdate();
            }
        }
    }
}
