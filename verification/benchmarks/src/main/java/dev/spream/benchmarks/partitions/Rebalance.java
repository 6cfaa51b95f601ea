package dev.spream.benchmarks.partitions;

import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Postgres;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A worker joins another one that reads a hundred partitions, over PostgreSQL, with default options: the time until it
 * has half of them, and the time for which each of those was unread, from its release until it was acquired.
 */
public final class Rebalance {
    private static final int PARTITIONS = 100;
    private static final long CHANGES_PER_SECOND = 1_000;
    private static final int TURNS = Integer.getInteger("turns", 10);
    private static final Duration LEASE = Duration.ofSeconds(15);

    private Rebalance() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        List<Long> joined = new ArrayList<>();
        List<Long> unread = new ArrayList<>();
        try (Postgres postgres = new Postgres()) {
            for (int turn = -1; turn < TURNS; turn++) {
                List<Long> gaps = new ArrayList<>();
                long time = join(postgres.url(), "turn " + turn, gaps);
                if (turn >= 0) {
                    joined.add(time);
                    unread.addAll(gaps);
                }
            }
        }
        Measurements.printTimes("from its start until it reads half of " + PARTITIONS, joined);
        Measurements.printTimes("a partition without a reader", unread);
    }

    private static long join(String url, String subscription, List<Long> gaps) throws InterruptedException {
        Instant start = Instant.now();
        PacedSource source = new PacedSource(PARTITIONS, CHANGES_PER_SECOND, start);
        try (Worker first = new Worker("first", url, subscription, source, start, LEASE)) {
            first.awaitHeld(PARTITIONS);
            TimeUnit.SECONDS.sleep(1); // so that it is in the middle of its work
            long startedAt = System.nanoTime();
            try (Worker second = new Worker("second", url, subscription, source, start, LEASE)) {
                second.awaitHeld(PARTITIONS / 2);
                long last = second.acquired().values().stream()
                        .mapToLong(Long::longValue)
                        .max()
                        .orElseThrow();
                Map<PartitionToken, Long> acquired = second.acquired();
                first.released().forEach((partition, releasedAt) -> {
                    Long acquiredAt = acquired.get(partition);
                    if (acquiredAt != null) {
                        gaps.add(acquiredAt - releasedAt);
                    }
                });
                return last - startedAt;
            }
        }
    }
}
