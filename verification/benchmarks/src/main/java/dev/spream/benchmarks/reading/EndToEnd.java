package dev.spream.benchmarks.reading;

import dev.spream.benchmarks.harness.ChildJvm;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Comparison;
import dev.spream.benchmarks.harness.Subscriptions;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Ordering;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;

/**
 * A subscriber with an empty consumer, compared with a plain loop over the client's own result sets, on the same rows
 * from a server with little cost. Goals: 1.3 times the plain loop with the same prefetch by partition, 1.2 times by key, and
 * 0.8 of its CPU a row. Ends with a CPU profile of the subscriber.
 */
public final class EndToEnd {
    private static final int ROWS = Integer.getInteger("rows", 160_000);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 6);
    private static final int TURNS = Integer.getInteger("turns", 7);
    private static final int PROFILED = 3;

    private EndToEnd() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        try (ChildJvm server = ChildJvm.start(ReplayServer.class, List.of("-Xmx1g"), Integer.toString(ROWS));
                SpannerConnection connection = SpannerConnection.builder(
                                DatabaseName.parse("projects/replay/instances/replay/databases/replay"))
                        .emulatorHost(server.nextLine())
                        .open()) {
            compare(connection, 1);
            compare(connection, 16);
        }
    }

    private static void compare(SpannerConnection connection, int partitions) throws Exception {
        String stream = ReplayServer.streamName(partitions);
        BareLoop samePrefetch = new BareLoop(connection.client(), stream, BareLoop.spreamsOptions());
        BareLoop defaultPrefetch = new BareLoop(connection.client(), stream);
        new Comparison("end to end, partitions: " + partitions, ROWS)
                .add("bare loop, prefetch 64", () -> samePrefetch.run(ReplayedRows.START, ReplayedRows.END))
                .add("bare loop, default prefetch", () -> defaultPrefetch.run(ReplayedRows.START, ReplayedRows.END))
                .add("spream's source, no engine", () -> readSource(connection, stream))
                .add("spream, maxInflight 1, by partition", () -> subscribe(connection, stream, 1, Ordering.PARTITION))
                .add(
                        "spream, maxInflight 64, by partition",
                        () -> subscribe(connection, stream, 64, Ordering.PARTITION))
                .add("spream, maxInflight 64, by key", () -> subscribe(connection, stream, 64, Ordering.KEY))
                .goal(
                        "spream, maxInflight 64, at 1.3 or more of the bare loop with prefetch 64 by partition, at 1.2 by key")
                .run(WARM_UPS, TURNS);
        CpuProfile.print(
                "bare loop, partitions: " + partitions,
                repeated(() -> samePrefetch.run(ReplayedRows.START, ReplayedRows.END)));
        CpuProfile.print(
                "spream, maxInflight 64, by key, partitions: " + partitions,
                repeated(() -> subscribe(connection, stream, 64, Ordering.KEY)));
    }

    /** Repeats the work for long enough for a profile. */
    private static Callable<Long> repeated(Callable<Long> work) {
        return () -> {
            long rows = 0;
            for (int i = 0; i < PROFILED; i++) {
                rows += work.call();
            }
            return rows;
        };
    }

    private static long readSource(SpannerConnection connection, String stream) throws Exception {
        try (SpannerChangeStreamSource source = connection.source(stream).build()) {
            return new SourceLoop(source).run(ReplayedRows.START, ReplayedRows.END);
        }
    }

    /** Reads the stream to its end, and returns the number of changes. */
    static long subscribe(SpannerConnection connection, String stream, int maxInflight, Ordering ordering) {
        LongAdder changes = new LongAdder();
        ChangeHandler consumer = change -> changes.increment();
        try (SpannerChangeStreamSource source = connection.source(stream).build()) {
            Subscriptions.readToEnd(
                    source,
                    consumer,
                    options -> options.startAt(ReplayedRows.START)
                            .endAt(ReplayedRows.END)
                            .maxInflight(maxInflight)
                            .ordering(ordering));
        }
        return changes.sum();
    }
}
