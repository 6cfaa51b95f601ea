package dev.spream.examples.balance;

import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;

/** A writer that moves money on all accounts until it is stopped. All amounts are 1 more than a multiple of 1,000. */
final class SteadyMovements implements AutoCloseable {
    static final int ACCOUNTS = 200;
    static final String FIRST_ACCOUNT = account(0);

    private static final int EVENTS_OF_APPEND = 5;
    private static final Duration PACE = Duration.ofMillis(40);

    private final EventStore events;
    private final RandomGenerator random;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Future<?> writing;
    private volatile boolean stopped;

    SteadyMovements(EventStore events, RandomGenerator random) {
        this.events = events;
        this.random = random;
        this.writing = thread.submit(this::write);
    }

    /** At least so many events, on every account. */
    static void append(EventStore events, long count, RandomGenerator random) {
        int ofAppend = Math.clamp(count / ACCOUNTS, 1, 250);
        for (long i = 0; i < Math.max(ACCOUNTS, Math.ceilDiv(count, ofAppend)); i++) {
            events.append(account(Math.toIntExact(i % ACCOUNTS)), ExpectedVersion.any(), movements(ofAppend, random));
        }
    }

    private Void write() throws InterruptedException {
        while (!stopped) {
            events.append(
                    account(random.nextInt(ACCOUNTS)), ExpectedVersion.any(), movements(EVENTS_OF_APPEND, random));
            Thread.sleep(PACE);
        }
        return null;
    }

    private static List<NewEvent> movements(int count, RandomGenerator random) {
        return random.ints(count, -3, 7)
                .mapToObj(thousands -> Movement.of(1_000L * thousands + 1))
                .toList();
    }

    private static String account(int number) {
        return "a-" + number;
    }

    /** Fails if it has failed. */
    void stop() throws Exception {
        stopped = true;
        writing.get();
    }

    @Override
    public void close() {
        stopped = true;
        thread.shutdown();
    }
}
