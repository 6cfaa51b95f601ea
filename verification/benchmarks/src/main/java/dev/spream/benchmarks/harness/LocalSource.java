package dev.spream.benchmarks.harness;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;

/** A stream without a server: its records are created here, on demand or at a fixed rate. */
public abstract class LocalSource implements ChangeStreamSource {
    private final String name;

    protected LocalSource(String name) {
        this.name = name;
    }

    @Override
    public final String streamName() {
        return name;
    }

    @Override
    public final PartitionMode partitionMode() {
        return PartitionMode.IMMUTABLE_KEY_RANGE;
    }

    @Override
    public final Optional<Duration> retention() {
        return Optional.empty();
    }

    @Override
    public final Instant serverTime() {
        return Instant.now();
    }

    @Override
    public final int maxOpenQueries() {
        return Integer.MAX_VALUE;
    }

    @Override
    public final void close() {}

    /** Returns the result of the initial query: partitions with these tokens. */
    protected static ChangeStreamCursor partitions(Instant start, Stream<String> tokens) {
        List<ChildPartition> children =
                tokens.map(token -> ChildPartition.of(token, List.of())).toList();
        return records(
                List.of(new ChildPartitionsRecord(start, "00000001", children)).iterator());
    }

    /** Returns a partition that returns these records on demand, and ends. */
    protected static ChangeStreamCursor records(Iterator<? extends ChangeRecord> records) {
        return new LocalCursor() {
            @Override
            public Optional<ChangeRecord> next() {
                return records.hasNext() ? Optional.of(records.next()) : Optional.empty();
            }

            @Override
            public int prefetched() {
                return records.hasNext() ? 1 : 0;
            }
        };
    }

    /**
     * Returns an unbounded partition with a change at even intervals: those of the past at once, the others as they
     * occur.
     */
    protected static ChangeStreamCursor paced(
            Instant start, long intervalNanos, Function<Instant, ChangeRecord> change) {
        return new LocalCursor() {
            private Instant at = start;

            @Override
            public Optional<ChangeRecord> next() {
                at = at.plusNanos(intervalNanos);
                for (long left; (left = Duration.between(Instant.now(), at).toNanos()) > 0 && !closed; ) {
                    LockSupport.parkNanos(left);
                }
                return closed ? Optional.empty() : Optional.of(change.apply(at));
            }
        };
    }

    /** Returns the only record of a transaction. */
    protected static DataChangeRecord change(
            Instant at,
            String transaction,
            String table,
            List<ColumnType> columns,
            List<Mod> mods,
            ModType type,
            ValueCaptureType capture) {
        return new DataChangeRecord(
                at, "00000000", transaction, true, table, columns, mods, type.name(), capture.name(), 1, 1, "", false);
    }

    private abstract static class LocalCursor implements ChangeStreamCursor {
        volatile boolean closed;

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
