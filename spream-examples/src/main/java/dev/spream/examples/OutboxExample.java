package dev.spream.examples;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.outbox.JdbcOutbox;
import dev.spream.storage.jdbc.outbox.JdbcOutboxStore;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/** A minimal program with an outbox: it enqueues a message in a transaction, and a worker prints it. */
public final class OutboxExample {
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private OutboxExample() {}

    /** Takes the JDBC URL of a PostgreSQL database. */
    public static void main(String[] args) throws SQLException, InterruptedException {
        if (args.length != 1) {
            System.err.println("usage: OutboxExample <JDBC URL>");
            System.exit(2);
        }
        try (HikariDataSource database = JdbcPool.open(args[0], Optional.empty(), Optional.empty())) {
            run(database, "order-" + System.currentTimeMillis());
        }
    }

    static void run(DataSource database, String idempotencyKey) throws SQLException, InterruptedException {
        JdbcOutbox outbox = JdbcOutbox.create(database);
        CountDownLatch sent = new CountDownLatch(1);
        try (OutboxWorker worker = OutboxWorker.builder(JdbcOutboxStore.create(database), new Printer(sent))
                .build()) {
            Thread.ofVirtual().start(worker::run);
            outbox.transactWithoutResult(
                    (connection, messages) -> // the changes of your tables belong here
                    messages.enqueue(OutboxMessage.of(idempotencyKey, "{\"quantity\": 100}")));
            sent.await();
            worker.shutdown(DRAIN); // writes the result
        }
    }

    /** The sender of the example. A real one calls a service, and passes the idempotency key. */
    private record Printer(CountDownLatch sent) implements OutboxSender {
        @Override
        public Guarantee guarantee() {
            return Guarantee.IDEMPOTENT;
        }

        @Override
        public SendOutcome send(OutboxEntry entry, Duration timeout) {
            System.out.printf("%s: %s%n", entry.idempotencyKey(), entry.payload());
            sent.countDown();
            return new SendOutcome.Succeeded(LedgerResult.succeeded());
        }
    }
}
