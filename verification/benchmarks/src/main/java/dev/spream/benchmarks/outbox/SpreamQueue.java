package dev.spream.benchmarks.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.Sql;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import dev.spream.storage.jdbc.outbox.JdbcOutbox;
import dev.spream.storage.jdbc.outbox.JdbcOutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The outbox of spream, with its ledger: an entry that is done stays in both until it is purged. */
final class SpreamQueue implements WorkQueue {
    private static final Pattern NUMBER = Pattern.compile("-?\\d+");
    private static final int LOADED_AT_ONCE = 1_000;

    private final HikariDataSource database;
    private final int concurrency;
    private final LongFunction<@Nullable String> orderingKey;
    private final JdbcOutbox outbox;
    private final JdbcOutboxStore store;
    private final AtomicLong loaded = new AtomicLong();
    private @Nullable OutboxWorker worker;
    private @Nullable Thread running;

    /** @param orderingKey of the nth entry that is loaded; null for none */
    SpreamQueue(HikariDataSource database, int concurrency, LongFunction<@Nullable String> orderingKey) {
        this.database = database;
        this.concurrency = concurrency;
        this.orderingKey = orderingKey;
        this.outbox = JdbcOutbox.create(database);
        this.store = JdbcOutboxStore.builder(database).build();
    }

    @Override
    public String label() {
        return "spream";
    }

    @Override
    public void load(int entries) throws SQLException {
        Sql.run(database, "TRUNCATE spream.outbox_orders, spream.idempo_ledger");
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < entries; i += LOADED_AT_ONCE) {
                List<OutboxMessage> messages = new ArrayList<>();
                for (int j = 0; j < Math.min(LOADED_AT_ONCE, entries - i); j++) {
                    messages.add(loaded(i + j));
                }
                outbox.enqueueAll(connection, messages);
                connection.commit();
            }
            connection.setAutoCommit(true);
        }
    }

    private OutboxMessage loaded(long index) {
        OutboxMessage.Builder message = OutboxMessage.builder("loaded-" + loaded.incrementAndGet(), "{\"n\": -1}");
        String key = orderingKey.apply(index);
        if (key != null) {
            message.orderingKey(key);
        }
        return message.build();
    }

    @Override
    public void enqueue(long number) throws SQLException {
        try (Connection connection = database.getConnection();
                OutboxTransaction messages = outbox.begin(connection)) {
            connection.setAutoCommit(false);
            messages.enqueue(
                    OutboxMessage.of(loaded.incrementAndGet() + "-" + number, "{\"n\": %d}".formatted(number)));
            connection.commit();
            messages.committed();
            connection.setAutoCommit(true);
        }
    }

    @Override
    public void start(Handler handler) {
        OutboxWorkerOptions options = OutboxWorkerOptions.builder()
                .concurrency(concurrency)
                .batch(1_000)
                .build();
        OutboxWorker started = OutboxWorker.builder(store, new Handing(handler))
                .options(options)
                .build();
        worker = started;
        running = Thread.ofPlatform().name("worker").start(started::run);
    }

    @Override
    public void stop() {
        OutboxWorker started = worker;
        Thread thread = running;
        if (started != null && thread != null) {
            try {
                started.shutdown(Duration.ofMinutes(1));
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted", e);
            }
            started.close();
        }
        worker = null;
    }

    @Override
    public long left() throws SQLException {
        return Sql.count(database, "spream.outbox_orders WHERE status <> 'succeeded'");
    }

    @Override
    public void close() {
        stop();
        store.close();
    }

    private record Handing(Handler handler) implements OutboxSender {
        @Override
        public Guarantee guarantee() {
            return Guarantee.IDEMPOTENT;
        }

        @Override
        public SendOutcome send(OutboxEntry entry, Duration timeout) {
            Matcher number = NUMBER.matcher(entry.payload());
            if (!number.find()) {
                throw new IllegalStateException("the entry has no number");
            }
            handler.handle(Long.parseLong(number.group()));
            return new SendOutcome.Succeeded(LedgerResult.succeeded());
        }
    }
}
