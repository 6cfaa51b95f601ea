package dev.spream.benchmarks.readers;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Mutation;
import dev.spream.benchmarks.harness.ChildJvm;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.EmulatorProcess;
import dev.spream.benchmarks.harness.Figures;
import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Parallel;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Spream's subscriber, Beam's reader on the direct runner, Debezium's connector in the embedded engine, and bare calls of the
 * protocol: each in a JVM of its own reads the same stream, whose partitions change all the time. First a backlog in
 * turns, for the rate; then new rows at a steady rate, for the time from a row's commit timestamp to its consumer. Rows that
 * do not come in time are counted. Goal: ahead of Beam and Debezium on each.
 */
public final class Readers {
    private static final int ROWS = Integer.getInteger("rows", 100_000);
    private static final int TURNS = Integer.getInteger("turns", 3);
    private static final int PER_SECOND = Integer.getInteger("perSecond", 100);
    private static final int SECONDS = Integer.getInteger("seconds", 30);
    private static final int TIMEOUT_SECONDS = Integer.getInteger("timeout", 300);
    private static final String CHURN_MILLIS = System.getProperty("churn", "5000");
    private static final List<Reader> READERS = Arrays.stream(
                    System.getProperty("readers", "bare,spream,beam,debezium").split(","))
            .map(name -> Reader.valueOf(name.toUpperCase(Locale.ROOT)))
            .toList();
    private static final String GOAL = "spream ahead of Beam and Debezium";
    private static final int WARM_UP_SECONDS = 10;
    private static final int ROWS_OF_A_TRANSACTION = 10;
    private static final int WRITERS = 8;

    private final Path folder;
    private final String host;
    private final DatabaseClient client;
    private final Map<Reader, Long> lost = new EnumMap<>(Reader.class);
    private int written;

    private Readers(Path folder, String host, DatabaseClient client) {
        this.folder = folder;
        this.host = host;
        this.client = client;
    }

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        Reader.build();
        Path folder = Reader.newFolder();
        System.out.printf("logs of the readers: %s%n", folder);
        try (ChildJvm server = ChildJvm.start(EmulatorProcess.class, List.of("-Xmx2g"), "4", CHURN_MILLIS)) {
            String host = server.nextLine();
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(EmulatorProcess.DATABASE))
                    .emulatorHost(host)
                    .open()) {
                new Readers(folder, host, connection.client()).compare();
            }
        }
    }

    private void compare() throws Exception {
        Instant start = instant(write(0, ROWS_OF_A_TRANSACTION));
        long startedAt = System.nanoTime();
        Parallel.paced(WRITERS, ROWS / ROWS_OF_A_TRANSACTION, 1_000_000, i -> {
            if (i > 0) {
                write(i * ROWS_OF_A_TRANSACTION, ROWS_OF_A_TRANSACTION);
            }
        });
        written = ROWS / ROWS_OF_A_TRANSACTION * ROWS_OF_A_TRANSACTION;
        System.out.printf(
                "%n%,d rows, %d a transaction, written in %.0f s, while partitions changed every %s ms%n",
                written, ROWS_OF_A_TRANSACTION, (System.nanoTime() - startedAt) / 1e9, CHURN_MILLIS);
        Map<Reader, List<Double>> rates = new EnumMap<>(Reader.class);
        for (int turn = 0; turn < TURNS; turn++) {
            for (Reader reader : READERS) {
                rates.computeIfAbsent(reader, first -> new ArrayList<>()).add(backlog(reader, turn, start));
            }
        }
        Map<String, List<Double>> figures = new LinkedHashMap<>();
        rates.forEach((reader, its) -> figures.put(withLoss(reader), its));
        new Figures("a backlog of %,d rows of a change stream".formatted(written), "rows/s", GOAL, figures).keep();
        List<Double> ours = rates.getOrDefault(Reader.SPREAM, List.of());
        rates.forEach((reader, its) -> System.out.printf(
                "%-24s %,10.0f rows/s   spream is %s times as fast%n",
                reader.label(), Measurements.median(its), ours.isEmpty() ? "?" : Measurements.ratios(ours, its)));
        System.out.printf("%n%d rows a second for %d s%n", PER_SECOND, SECONDS);
        Map<String, List<Long>> nanos = new LinkedHashMap<>();
        for (Reader reader : READERS) {
            List<Long> its = steady(reader);
            nanos.put(withLoss(reader), its);
        }
        Figures.keepTimes("from commit to consumer, %d rows a second".formatted(PER_SECOND), GOAL, nanos);
    }

    private String withLoss(Reader reader) {
        long rows = lost.getOrDefault(reader, 0L);
        return reader.label() + (rows == 0 ? "" : ", %,d rows lost".formatted(rows));
    }

    /** Reads everything that was written; returns the rate from the first row on. */
    private double backlog(Reader reader, int turn, Instant start) throws IOException {
        String run = reader.name().toLowerCase(Locale.ROOT) + turn;
        Receipts receipts = Receipts.create(folder.resolve(run), written);
        long startedAt = Receipts.micros(Instant.now());
        try (ChildJvm child = reader.start(folder, run, host, start.toString())) {
            await(child, receipts, 0, written);
        }
        long[] times = consumedAt(receipts, 0, written);
        long first = times.length == 0 ? startedAt : times[0];
        long last = times.length == 0 ? startedAt + 1 : times[times.length - 1];
        System.out.printf(
                "%-24s first row after %5.1f s, last after %5.1f s, %,d of %,d rows, %,d again%n",
                reader.label(),
                (first - startedAt) / 1e6,
                (last - startedAt) / 1e6,
                times.length,
                written,
                receipts.repeated(0, written));
        lost.merge(reader, (long) written - times.length, Long::sum);
        return times.length * 1e6 / Math.max(1, last - first);
    }

    /**
     * Writes at a steady rate until the reader has warmed up, and then for the time measured; returns the times from commit
     * to consumer, and for a row that did not come the time that it was waited for.
     */
    private List<Long> steady(Reader reader) throws Exception {
        String run = reader.name().toLowerCase(Locale.ROOT) + "Steady";
        int first = written;
        int capacity = first + PER_SECOND * (TIMEOUT_SECONDS + WARM_UP_SECONDS + SECONDS + 1);
        Receipts receipts = Receipts.create(folder.resolve(run), capacity);
        long[] committedAt = new long[capacity];
        Instant start = writeOne(committedAt);
        int measured;
        try (ChildJvm child = reader.start(folder, run, host, start.toString())) {
            write(committedAt, TIMEOUT_SECONDS, () -> receipts.consumedAt(first) != 0);
            write(committedAt, WARM_UP_SECONDS, () -> false);
            measured = written;
            write(committedAt, SECONDS, () -> false);
            await(child, receipts, first, written);
        }
        long end = Receipts.micros(Instant.now());
        List<Long> nanos = IntStream.range(measured, written)
                .mapToObj(id -> {
                    long at = receipts.consumedAt(id);
                    return 1_000 * ((at == 0 ? end : at) - committedAt[id]);
                })
                .toList();
        System.out.printf(
                "%-24s %s, %,d of %,d rows, %,d again%n",
                reader.label(),
                Measurements.times(nanos, 1),
                receipts.consumed(first, written),
                written - first,
                receipts.repeated(first, written));
        lost.put(reader, written - first - receipts.consumed(first, written));
        return nanos;
    }

    /** Writes rows at a steady rate, for that time or until the condition holds. */
    private void write(long[] committedAt, int seconds, BooleanSupplier enough) {
        long startedAt = System.nanoTime();
        for (long row = 0; row < (long) seconds * PER_SECOND && !enough.getAsBoolean(); row++) {
            Parallel.waitUntil(startedAt + TimeUnit.SECONDS.toNanos(1) * row / PER_SECOND);
            writeOne(committedAt);
        }
    }

    private Instant writeOne(long[] committedAt) {
        Instant at = instant(write(written, 1));
        committedAt[written++] = Receipts.micros(at);
        return at;
    }

    private static void await(ChildJvm child, Receipts receipts, int from, int to) {
        long startedAt = System.nanoTime();
        while (receipts.consumed(from, to) < to - from
                && child.isAlive()
                && System.nanoTime() - startedAt < TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS)) {
            Parallel.waitUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    private static long[] consumedAt(Receipts receipts, int from, int to) {
        return IntStream.range(from, to)
                .mapToLong(receipts::consumedAt)
                .filter(at -> at != 0)
                .sorted()
                .toArray();
    }

    private Timestamp write(int id, int rows) {
        return client.write(IntStream.range(id, id + rows)
                .mapToObj(row -> Mutation.newInsertBuilder("Accounts")
                        .set("Id")
                        .to(row)
                        .set("Owner")
                        .to("Ada Lovelace, 12 St James's Square, London")
                        .build())
                .toList());
    }

    private static Instant instant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }
}
