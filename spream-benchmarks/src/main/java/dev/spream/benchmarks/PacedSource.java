package dev.spream.benchmarks;

import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A stream of some partitions that never end, each of which has a change at even intervals, as they happen. Safe for use by
 * many threads.
 */
final class PacedSource extends LocalSource {
    private static final JsonObject VALUES = JsonObject.of("{\"Status\":\"open\"}");

    private final Instant start;
    private final int partitions;
    private final long intervalNanos;

    /** @param perSecond changes a second, of all partitions together */
    PacedSource(int partitions, long perSecond, Instant start) {
        super("Paced");
        this.start = start;
        this.partitions = partitions;
        this.intervalNanos = partitions * 1_000_000_000L / perSecond;
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        return query.token().isRoot() ? new RootCursor() : new PacedCursor(query);
    }

    private final class RootCursor implements ChangeStreamCursor {
        private boolean returned;

        @Override
        public Optional<ChangeRecord> next() {
            if (returned) {
                return Optional.empty();
            }
            returned = true;
            List<ChildPartition> children = IntStream.range(0, partitions)
                    .mapToObj(i -> ChildPartition.of("paced-%04d".formatted(i), List.of()))
                    .toList();
            return Optional.of(new ChildPartitionsRecord(start, "00000001", children));
        }

        @Override
        public int prefetched() {
            return 0;
        }

        @Override
        public void close() {}
    }

    private final class PacedCursor implements ChangeStreamCursor {
        private final String partition;
        private Instant next;
        private volatile boolean closed;

        PacedCursor(PartitionQuery query) {
            partition = query.token().value();
            next = query.startTimestamp();
        }

        @Override
        public Optional<ChangeRecord> next() {
            next = next.plusNanos(intervalNanos);
            for (long left = untilNext(); left > 0 && !closed; left = untilNext()) {
                LockSupport.parkNanos(left);
            }
            return closed ? Optional.empty() : Optional.of(change());
        }

        private long untilNext() {
            return Duration.between(Instant.now(), next).toNanos();
        }

        private DataChangeRecord change() {
            return new DataChangeRecord(
                    next,
                    "00000000",
                    next.toString(),
                    true,
                    "Orders",
                    List.of(),
                    List.of(new Mod(JsonObject.of("{\"Id\":\"" + partition + "\"}"), VALUES, JsonObject.EMPTY)),
                    ModType.UPDATE.name(),
                    ValueCaptureType.NEW_VALUES.name(),
                    1,
                    1,
                    "",
                    false);
        }

        @Override
        public int prefetched() {
            return 0;
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
