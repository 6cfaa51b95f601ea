package dev.spream.benchmarks.delivery;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Postgres;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.ReplayResult;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.record.RecordIdentity;
import dev.spream.core.subscription.Subscriber;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.jdbc.deadletter.JdbcDeadLetterStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A subscription of transfers between 80 accounts whose consumer refuses 3 of them and parks their keys, over
 * PostgreSQL; then the replay of the letters while the subscription continues. Measures the rate of the letters that
 * are open when the replay begins, the time until no key is parked, and whether any account received its changes out of
 * order. Goal: 1,000 letters a second. Runs once with a server that waits for its disk, and once without.
 */
public final class LetterReplay {
    private static final int ACCOUNTS = 80;
    private static final int REFUSED = 3;
    private static final int LETTERS = Integer.getInteger("letters", 10_000);
    private static final int PER_SECOND = Integer.getInteger("perSecond", 200);
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private LetterReplay() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        for (boolean durable : new boolean[] {true, false}) {
            try (Postgres postgres = new Postgres(durable);
                    HikariDataSource database = Postgres.pool(postgres.url(), 20)) {
                measure(database, durable);
            }
        }
    }

    private static void measure(HikariDataSource database, boolean durable) throws Exception {
        Instant start = Instant.now().minusSeconds(LETTERS / PER_SECOND);
        Accounts accounts = new Accounts();
        try (var running = Executors.newSingleThreadExecutor();
                JdbcDeadLetterStore letters = JdbcDeadLetterStore.create(database, "transfers");
                JdbcDeadLetterStore replaying = JdbcDeadLetterStore.create(database, "transfers");
                Subscriber subscriber = Subscriber.builder(
                                new TransferSource(ACCOUNTS, PER_SECOND),
                                JdbcPartitionStorage.create(database, "transfers"))
                        .options(options -> options.startAt(start)
                                .maxInflight(64)
                                .errorHandler(ErrorHandler.parkKey())
                                .deadLetterSink(letters))
                        .build()) {
            var run = running.submit(() -> subscriber.run(accounts));
            while (replaying.openLetters().size() < LETTERS * 9 / 10) {
                TimeUnit.MILLISECONDS.sleep(200);
            }
            int parked = replaying.parkedKeys().size();
            int open = replaying.openLetters().size();
            accounts.accepting.set(true);
            AtomicInteger replayed = new AtomicInteger();
            AtomicLong openReplayedAt = new AtomicLong();
            long startedAt = System.nanoTime();
            ReplayResult result = DeadLetterReplay.of(replaying, accounts)
                    .onReplayed(letter -> {
                        if (replayed.incrementAndGet() == open) {
                            openReplayedAt.set(System.nanoTime());
                        }
                    })
                    .all();
            double seconds = (System.nanoTime() - startedAt) / 1e9;
            double openSeconds = (openReplayedAt.get() - startedAt) / 1e9;
            subscriber.shutdown(TIMEOUT);
            run.get();
            System.out.printf(
                    "%s: %d of %d keys parked; %,d letters replayed in %.1f s, %,.0f/s, beside %d changes/s; with those that came meanwhile %,d in %.1f s until %d keys were parked; %d changes out of order%n",
                    durable ? "waiting for the disk" : "not waiting for the disk",
                    parked,
                    ACCOUNTS,
                    open,
                    openSeconds,
                    open / openSeconds,
                    PER_SECOND,
                    result.replayed(),
                    seconds,
                    replaying.parkedKeys().size(),
                    accounts.outOfOrder.get());
            if (!result.isComplete() || accounts.outOfOrder.get() > 0) {
                throw new IllegalStateException("the replay came to " + result);
            }
        }
    }

    /** Refuses some accounts at first, and records the last change of each. Safe for use by many threads. */
    private static final class Accounts implements ChangeHandler {
        private final Map<Integer, RecordIdentity> last = new ConcurrentHashMap<>();
        private final AtomicLong outOfOrder = new AtomicLong();
        private final AtomicBoolean accepting = new AtomicBoolean();

        @Override
        public void consume(DataChangeRecord change) {
            for (Mod mod : change.mods()) {
                if (!accepting.get() && TransferSource.account(mod) < REFUSED) {
                    throw new IllegalStateException("account %d is refused".formatted(TransferSource.account(mod)));
                }
            }
            for (Mod mod : change.mods()) {
                RecordIdentity before = last.put(TransferSource.account(mod), change.identity());
                if (before != null && before.compareTo(change.identity()) > 0) {
                    outOfOrder.incrementAndGet();
                }
            }
        }
    }
}
