package dev.spream.benchmarks.partitions;

import dev.spream.benchmarks.harness.ChildJvm;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Postgres;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A worker process that reads half of twenty partitions is killed with {@code kill -9}: the time until the other worker
 * reads them, over PostgreSQL, in lease times of 2 s. Goal: at most one lease time after the last renewal, which may
 * coincide with the kill.
 */
public final class TakeOver {
    private static final int PARTITIONS = 20;
    private static final int TURNS = Integer.getInteger("turns", 10);
    private static final Duration LEASE = Duration.ofSeconds(2);

    private TakeOver() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        if (args.length > 0) {
            victim(args[0], args[1], Instant.parse(args[2]));
            return;
        }
        List<Long> times = new ArrayList<>();
        try (Postgres postgres = new Postgres()) {
            for (int turn = 0; turn < TURNS; turn++) {
                times.addAll(kill(postgres.url(), "turn " + turn));
            }
        }
        Measurements.printTimes("from the death to the reading by another", times);
        double longest = times.stream().mapToLong(Long::longValue).max().orElseThrow();
        System.out.printf("the longest is %.3f lease times%n", longest / LEASE.toNanos());
    }

    private static List<Long> kill(String url, String subscription) throws Exception {
        Instant start = Instant.now();
        PacedSource source = new PacedSource(PARTITIONS, 1_000, start);
        try (Worker survivor = new Worker("survivor", url, subscription, source, start, LEASE)) {
            survivor.awaitHeld(PARTITIONS);
            try (ChildJvm victim =
                    ChildJvm.start(TakeOver.class, List.of("-Xmx128m"), url, subscription, start.toString())) {
                victim.nextLine();
                survivor.awaitHeld(PARTITIONS / 2);
                long killedAt = System.nanoTime();
                victim.kill();
                survivor.awaitHeld(PARTITIONS);
                Map<PartitionToken, Long> acquired = survivor.acquired();
                return acquired.values().stream()
                        .filter(at -> at > killedAt)
                        .map(at -> at - killedAt)
                        .toList();
            }
        }
    }

    private static void victim(String url, String subscription, Instant start) throws Exception {
        PacedSource source = new PacedSource(PARTITIONS, 1_000, start);
        Worker worker = new Worker("victim", url, subscription, source, start, LEASE);
        worker.awaitHeld(PARTITIONS / 2);
        System.out.println("reads");
        ChildJvm.awaitParent();
        worker.close();
    }
}
