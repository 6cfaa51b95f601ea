package dev.spream.benchmarks.partitions;

import dev.spream.benchmarks.harness.LocalSource;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An unbounded stream of several partitions, each of which has a change at even intervals, as they occur. Safe for use
 * by many threads.
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
        return query.token().isRoot()
                ? partitions(start, IntStream.range(0, partitions).mapToObj("paced-%04d"::formatted))
                : paced(
                        query.startTimestamp(),
                        intervalNanos,
                        at -> change(query.token().value(), at));
    }

    private static DataChangeRecord change(String partition, Instant at) {
        return change(
                at,
                at.toString(),
                "Orders",
                List.of(),
                List.of(new Mod(JsonObject.of("{\"Id\":\"" + partition + "\"}"), VALUES, JsonObject.EMPTY)),
                ModType.UPDATE,
                ValueCaptureType.NEW_VALUES);
    }
}
