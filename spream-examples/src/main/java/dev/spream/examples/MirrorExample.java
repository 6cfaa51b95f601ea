package dev.spream.examples;

import dev.spream.core.consume.TransactionMode;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.storage.jdbc.mirror.JdbcMirror;
import javax.sql.DataSource;

/**
 * Mirrors orders and their lines into two tables of PostgreSQL with a foreign key. A transaction in Spanner writes an order
 * and its lines, which may be in several partitions. In commit order each transaction is written as a whole, after those
 * before it, so the foreign key always holds and need not be deferrable.
 */
public final class MirrorExample {
    static final String TABLES = """
            CREATE TABLE "Orders" ("OrderId" bigint PRIMARY KEY, "Customer" text NOT NULL);
            CREATE TABLE "Lines" ("OrderId" bigint REFERENCES "Orders", "Line" bigint, "Article" text NOT NULL,
              PRIMARY KEY ("OrderId", "Line"));
            """;

    private MirrorExample() {}

    /** Runs until the end of the subscription. */
    static CompletionReason mirror(Subscriber.Builder subscription, DataSource database) {
        JdbcMirror mirror = JdbcMirror.builder(database, "orders").build();
        try (Subscriber subscriber = subscription
                .options(options -> options.transactionMode(TransactionMode.COMMIT_ORDER))
                .build()) {
            return subscriber.run(mirror);
        }
    }
}
