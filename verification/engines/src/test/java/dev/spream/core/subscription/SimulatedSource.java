package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The change stream of a {@link SimulatedWorld}, as one process sees it: with the trouble that connections have. */
final class SimulatedSource implements ChangeStreamSource {
    static final String STREAM = "Simulated";

    private final SimulatedWorld world;
    private final SimulatedPorts ports;
    private final SimulationJudge judge;
    private final int maxOpenQueries;

    SimulatedSource(SimulatedWorld world, SimulatedPorts ports, SimulationJudge judge, int maxOpenQueries) {
        this.world = world;
        this.ports = ports;
        this.judge = judge;
        this.maxOpenQueries = maxOpenQueries;
    }

    @Override
    public String streamName() {
        return STREAM;
    }

    @Override
    public PartitionMode partitionMode() {
        return world.mode;
    }

    @Override
    public Optional<Duration> retention() {
        return Optional.ofNullable(world.retainedFrom())
                .map(from -> periodOf(Duration.between(from, serverTime()).toNanos()));
    }

    /** Returns the retention period for which a gap ends that long before now, with the margin that the engine adds. */
    private static Duration periodOf(long ago) {
        long period = ago;
        while (period - period / RetentionLossHandler.MARGIN_PER_RETENTION < ago) {
            period += Math.max(1, ago - (period - period / RetentionLossHandler.MARGIN_PER_RETENTION));
        }
        return Duration.ofNanos(period);
    }

    @Override
    public int maxOpenQueries() {
        return maxOpenQueries;
    }

    @Override
    public Instant serverTime() {
        return ports.process.trueTime();
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        judge.source.asked(ports.process, query);
        ports.pass("query %s from %s", query.token(), query.startTimestamp());
        ports.count(SimulationEvent.QUERY);
        ports.delay();
        if (ports.strikes(ports.trouble.streamBreak / 10, SimulationEvent.BREAK)) {
            throw new SourceException(
                    SourceException.Kind.TRANSIENT, SimulatedFailure.message("UNAVAILABLE at the query"), null);
        }
        judge.source.queried(ports.process, query);
        if (world.isLost(query.token(), query.startTimestamp())) {
            ports.count(SimulationEvent.RETENTION_LOST);
            throw new SourceException(
                    hasExpired(query.token())
                            ? SourceException.Kind.PARTITION_EXPIRED
                            : SourceException.Kind.RETENTION_LOST,
                    "the stream begins at %s".formatted(world.retainedFrom()),
                    null);
        }
        SimulatedCursor cursor = new SimulatedCursor(query, rows(query), partitionEnd(query), ports, judge);
        judge.source.opened(ports.process, cursor);
        ports.pass("query %s is open", query.token());
        return cursor;
    }

    /** Some of those that ended before are named as such; of others, only a later query is outside of them. */
    private boolean hasExpired(PartitionToken token) {
        return world.isLostAtEnd(token) && token.hashCode() % 2 == 0;
    }

    private List<ChangeRecord> rows(PartitionQuery query) {
        if (query.token().isRoot()) {
            return world.rootRows(query.startTimestamp());
        }
        SimulatedPartition partition = world.partition(query.token());
        if (partition == null
                || query.startTimestamp().isBefore(partition.start)
                || query.startTimestamp().isAfter(partition.end)) {
            throw new SourceException(
                    SourceException.Kind.OUTSIDE_PARTITION,
                    "start %s is outside of %s".formatted(query.startTimestamp(), partition),
                    null,
                    partition == null ? null : partition.end);
        }
        return partition.rows(query.startTimestamp(), query.endTimestamp().orElse(Instant.MAX));
    }

    private Instant partitionEnd(PartitionQuery query) {
        SimulatedPartition partition = world.partition(query.token());
        return partition == null ? world.start : partition.end;
    }

    @Override
    public void close() {
        // Nothing is held open.
    }
}
