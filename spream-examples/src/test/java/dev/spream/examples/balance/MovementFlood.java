package dev.spream.examples.balance;

import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/** Writers that move money on many accounts until they are stopped; now and then one writes an event that says nothing. */
final class MovementFlood implements AutoCloseable {
    private static final int ACCOUNTS = 40;
    private static final int POISON_ONE_IN = 150;
    private static final int MAX_EVENTS_OF_APPEND = 3;

    private final EventStore events;
    private final Duration pace;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<?>> running = new ArrayList<>();
    private final AtomicInteger appended = new AtomicInteger();
    private volatile boolean stopped;

    /** @param pace between two appends of a writer */
    MovementFlood(EventStore events, int writers, Duration pace, RandomGenerator.SplittableGenerator random) {
        this.events = events;
        this.pace = pace;
        for (int i = 0; i < writers; i++) {
            RandomGenerator own = random.split();
            running.add(threads.submit(() -> write(own)));
        }
    }

    private Void write(RandomGenerator own) throws InterruptedException {
        while (!stopped) {
            List<NewEvent> movements = new ArrayList<>();
            for (int i = own.nextInt(MAX_EVENTS_OF_APPEND); i >= 0; i--) {
                movements.add(own.nextInt(POISON_ONE_IN) == 0 ? poison() : Movement.of(own.nextLong(-500, 1_000)));
            }
            events.append("a-" + own.nextInt(ACCOUNTS), ExpectedVersion.any(), movements);
            appended.addAndGet(movements.size());
            Thread.sleep(pace);
        }
        return null;
    }

    private static NewEvent poison() {
        return new NewEvent(
                UUID.randomUUID().toString(),
                "MoneyDeposited",
                "{\"amount\": null}",
                Instant.now(),
                EventMetadata.NONE);
    }

    int appended() {
        return appended.get();
    }

    /** Fails if a writer has. */
    void stop() throws Exception {
        stopped = true;
        for (Future<?> writer : running) {
            writer.get();
        }
    }

    @Override
    public void close() {
        stopped = true;
        threads.shutdownNow();
    }
}
