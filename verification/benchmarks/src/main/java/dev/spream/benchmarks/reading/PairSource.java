package dev.spream.benchmarks.reading;

import dev.spream.benchmarks.harness.LocalSource;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A stream of two partitions with negligible reading cost. Each transaction changes a row in both. Safe for use by many
 * threads.
 */
final class PairSource extends LocalSource {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    static final Instant END = START.plus(1, ChronoUnit.HOURS);

    private static final String IDLE = "idle";
    private static final int KEYS = 10_000;
    private static final List<ColumnType> COLUMNS = List.of(
            new ColumnType("AccountId", SpannerType.of(TypeCode.STRING), true, 1),
            new ColumnType("Balance", SpannerType.of(TypeCode.INT64), false, 2));
    private static final JsonObject VALUES = JsonObject.of("{\"Balance\":\"17\"}");

    private final long transactions;
    private final long intervalNanos;
    private final boolean hasIdle;

    private PairSource(long transactions, long intervalNanos, boolean hasIdle) {
        super("Pairs");
        this.transactions = transactions;
        this.intervalNanos = intervalNanos;
        this.hasIdle = hasIdle;
    }

    /** Returns a stream from {@link #START} with that many transactions, which are read on demand. */
    static PairSource bounded(long transactions) {
        return new PairSource(transactions, 1_000, false);
    }

    /**
     * Returns an unbounded stream with that many transactions a second, which are read as they occur.
     *
     * @param hasIdle whether there is a third partition, with heartbeats alone
     */
    static PairSource paced(long perSecond, boolean hasIdle) {
        return new PairSource(Long.MAX_VALUE, 1_000_000_000L / perSecond, hasIdle);
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        if (query.token().isRoot()) {
            return partitions(query.startTimestamp(), hasIdle ? Stream.of("0", "1", IDLE) : Stream.of("0", "1"));
        }
        if (query.token().value().equals(IDLE)) {
            return paced(query.startTimestamp(), query.heartbeatInterval().toNanos(), HeartbeatRecord::new);
        }
        int partition = Integer.parseInt(query.token().value());
        if (transactions == Long.MAX_VALUE) {
            return paced(query.startTimestamp(), intervalNanos, at -> change(partition, at));
        }
        long first = ChronoUnit.MICROS.between(START, query.startTimestamp());
        return records(LongStream.range(first, transactions)
                .mapToObj(index -> change(partition, START.plusNanos(index * intervalNanos)))
                .iterator());
    }

    private static DataChangeRecord change(int partition, Instant at) {
        long key = (at.getEpochSecond() * 1_000_000 + at.getNano() / 1_000) % KEYS;
        return new DataChangeRecord(
                at,
                "0000000" + partition,
                at.toString(),
                true,
                "Accounts",
                COLUMNS,
                List.of(new Mod(
                        JsonObject.of("{\"AccountId\":\"%d-%d\"}".formatted(partition, key)),
                        VALUES,
                        JsonObject.EMPTY)),
                ModType.UPDATE.name(),
                ValueCaptureType.NEW_VALUES.name(),
                2,
                2,
                "",
                false);
    }
}
