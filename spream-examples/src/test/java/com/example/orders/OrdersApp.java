package com.example.orders;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.worker.OutboxSenderOptions;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.storage.jdbc.outbox.JdbcOutbox;
import dev.spream.storage.jdbc.outbox.JdbcOutboxStore;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;

/** Places an order, and sends it to a broker and a mail two seconds later. */
public final class OrdersApp {
    private OrdersApp() {}

    public static void main(String[] args) throws Exception {
        try (HikariDataSource database = new HikariDataSource()) {
            database.setJdbcUrl(args[0]);
            try (JdbcOutboxStore store = JdbcOutboxStore.create(database);
                    OutboxWorker worker = worker(store, System.out::println)) {
                Thread.ofVirtual().start(worker::run);
                placeOrder(JdbcOutbox.create(database), "order-" + System.currentTimeMillis());
                Thread.sleep(Duration.ofSeconds(3));
                worker.shutdown(Duration.ofSeconds(10)); // finishes and settles what it has begun
            }
        }
    }

    static OutboxWorker worker(JdbcOutboxStore store, Consumer<String> output) {
        return OutboxWorker.builder(store, new Printer("broker", output))
                .sender(
                        "mail",
                        new Printer("mail", output),
                        OutboxSenderOptions.builder().concurrency(2).rate(10).build())
                .build();
    }

    static void placeOrder(JdbcOutbox outbox, String id) throws SQLException {
        outbox.transactWithoutResult((connection, messages) -> {
            connection.createStatement().execute("CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY)");
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?)")) {
                insert.setString(1, id);
                insert.executeUpdate();
            }
            messages.enqueue(OutboxMessage.of(id, "{\"quantity\": 100}"));
            messages.enqueue(OutboxMessage.builder(id + "/mail", "{\"to\": \"ann@example.com\"}")
                    .destination("mail")
                    .afterDelay(Duration.ofSeconds(2))
                    .build());
        });
    }

    /** Prints entries. A real sender calls a service, and passes the idempotency key on. */
    private record Printer(String receiver, Consumer<String> output) implements OutboxSender {
        @Override
        public Guarantee guarantee() {
            return Guarantee.IDEMPOTENT;
        }

        @Override
        public SendOutcome send(OutboxEntry entry, Duration timeout) {
            output.accept("%s: %s %s".formatted(receiver, entry.idempotencyKey(), entry.payload()));
            return new SendOutcome.Succeeded(LedgerResult.succeeded());
        }
    }
}
