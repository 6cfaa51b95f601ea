package dev.spream.benchmarks.projection;

import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Parallel;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * The pause in which no event is applied during a cutover, back and forth between two versions, and the duration of
 * reads of the read model meanwhile. Readers read all of it continuously, and never find fewer movements than before;
 * one thread appends at a steady rate, if the machine is fast enough.
 */
record CutoverPause(
        DataSource database,
        JdbcEventStore store,
        EventSource source,
        JdbcProjectionStore projections,
        ProjectionRebuilds rebuilds) {
    private static final int TIMES = Integer.getInteger("cutOvers", 20);
    private static final int PER_SECOND = Integer.getInteger("perSecond", 1_000);
    private static final int READERS = 2;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** Exchanges the live version and the other one. */
    void measure() throws Exception {
        AtomicBoolean stopping = new AtomicBoolean();
        Queue<Long> reads = new ConcurrentLinkedQueue<>();
        List<Long> pauses = new ArrayList<>();
        List<Future<Void>> busy = new ArrayList<>();
        try (ProjectionManager<Connection> manager = ProjectionManager.builder(projections)
                        .add(new RebuiltBalances(), source, ProjectionOptions.DEFAULTS.withSegments(2))
                        .build();
                ExecutorService threads = Executors.newCachedThreadPool()) {
            Thread running = Thread.ofVirtual().start(manager::run);
            try {
                busy.add(threads.submit(() -> append(stopping)));
                for (int i = 0; i < READERS; i++) {
                    busy.add(threads.submit(() -> read(stopping, reads)));
                }
                for (int i = 0; i < TIMES; i++) {
                    awaitFollowing();
                    pauses.add(TimeUnit.NANOSECONDS.convert(cutOver().pause()));
                }
            } finally {
                stopping.set(true);
                manager.shutdown(Duration.ofSeconds(10));
                running.join();
            }
        }
        for (Future<Void> each : busy) {
            each.get();
        }
        Measurements.printTimes("cut-over, no event applied, to %,d/s appended".formatted(PER_SECOND), pauses);
        Measurements.printTimes("reads of the whole read model meanwhile", List.copyOf(reads));
    }

    private CutoverReport cutOver() {
        int other = rebuilds.versions(RebuiltBalances.NAME).stream()
                .filter(version -> !version.isLive())
                .mapToInt(ProjectionVersion::version)
                .max()
                .orElseThrow();
        return rebuilds.cutOver(RebuiltBalances.NAME, other, TIMEOUT, Set.of(), RebuildRate.ACT);
    }

    /** Waits until both versions run in their present roles: the other one has passed the position of the live one. */
    private void awaitFollowing() {
        long deadline = System.nanoTime() + LONGEST.toNanos();
        long target = progress().target() + 1;
        while (progress().position() < target) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("no version follows: " + progress());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    private RebuildProgress progress() {
        return rebuilds.progress(RebuiltBalances.NAME).getLast();
    }

    private Void append(AtomicBoolean stopping) {
        long start = System.nanoTime();
        String run = Long.toHexString(start);
        for (long i = 0; !stopping.get(); i++) {
            Parallel.waitUntil(start + TimeUnit.SECONDS.toNanos(1) * i / PER_SECOND);
            store.append("c-" + i % 100, ExpectedVersion.any(), List.of(ProjectionRate.event(run + "-" + i)));
        }
        return null;
    }

    private Void read(AtomicBoolean stopping, Queue<Long> took) throws SQLException {
        long before = 0;
        try (Connection connection = database.getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT sum(movements)::bigint FROM balances")) {
            while (!stopping.get()) {
                long startedAt = System.nanoTime();
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    long movements = row.getLong(1);
                    if (movements < before) {
                        throw new IllegalStateException("%d movements were read after %d".formatted(movements, before));
                    }
                    before = movements;
                }
                took.add(System.nanoTime() - startedAt);
            }
        }
        return null;
    }
}
