package dev.spream.testkit.subscription;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.UndecodableChange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A change stream held in memory. The content of its partitions is defined before it is read, and may be extended while
 * it is read; a query returns the records from its start to its end, both inclusive, and ends with OK where the
 * partition or the query ends. Faults are defined per partition and affect its queries in order.
 */
public final class ScriptedSource implements ChangeStreamSource {
    public static final Instant START = Instant.parse("2026-01-01T10:00:00Z");

    /** The fault with which one query ends or deviates. */
    public sealed interface Fault {
        /** The stream fails after that many rows. */
        record Break(int afterRows, SourceException.Kind kind) implements Fault {}

        /** The stream ends with OK after that many rows, whatever would follow. */
        record EndWithOk(int afterRows) implements Fault {}

        /** Every row is returned twice. */
        record Repeat() implements Fault {}

        /** The stream stays open after that many rows and returns nothing more. */
        record Stall(int afterRows) implements Fault {}

        /** After that many rows follows one that cannot be decoded. */
        record Garble(int afterRows, UndecodableChange change) implements Fault {}

        /** The stream fails after that many rows with the given exception. */
        record Fail(int afterRows, SourceException failure) implements Fault {}

        /** The query runs without a fault. */
        record None() implements Fault {}
    }

    /** A rejection of queries, depending on the state of the server at the time of the query. */
    public interface Refusal {
        /** Returns the reason for rejecting the query, or null to run it. Called under the source's lock. */
        @Nullable
        SourceException of(PartitionQuery query);
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by lock.
    private final Map<String, ScriptedPartition> partitions = new HashMap<>();
    private final Map<String, Deque<Fault>> faults = new HashMap<>();
    private final List<PartitionQuery> queries = new ArrayList<>();
    private final Map<String, Refusal> refusals = new HashMap<>();
    private final List<ChildPartition> livingLater = new ArrayList<>();
    private PartitionMode partitionMode = PartitionMode.IMMUTABLE_KEY_RANGE;
    private Instant serverTime = START.plusSeconds(3600);
    private Optional<Duration> retention = Optional.empty();
    private int maxOpenQueries = Integer.MAX_VALUE;
    private PartitionToken snapshotQuery = PartitionToken.SNAPSHOT;
    private int serverTimeFailures;
    private int serverTimeAnswers;
    private int openCursors;
    private int mostOpenCursors;

    /** Creates a stream of one partition from that start on, with the given changes. */
    public static ScriptedSource of(Instant start, List<? extends ChangeRecord> changes) {
        ScriptedSource source = new ScriptedSource();
        source.add(PartitionToken.ROOT.value(), new ChildPartitionsRecord(start, "0", List.of(child("p"))));
        changes.forEach(change -> source.add("p", change));
        return source.end(PartitionToken.ROOT.value());
    }

    public static Instant at(long second) {
        return START.plusSeconds(second);
    }

    /** Adds a change of one key to a partition, committed the given number of seconds after the start. */
    public ScriptedSource change(String partition, long second, String key) {
        return change(partition, second, key, "tx-" + partition + "-" + second);
    }

    public ScriptedSource change(String partition, long second, String key, String transaction) {
        return add(partition, newChange(second, key, transaction));
    }

    public static DataChangeRecord newChange(long second, String key, String transaction) {
        return newChange(second, transaction, List.of(key));
    }

    /** Returns a record with a mod for each key. */
    public static DataChangeRecord newChange(long second, String transaction, List<String> keys) {
        return new DataChangeRecord(
                at(second),
                "00000000",
                transaction,
                true,
                "Accounts",
                List.of(),
                keys.stream()
                        .map(key -> new Mod(JsonObject.of(Map.of("Id", key)), JsonObject.EMPTY, JsonObject.EMPTY))
                        .toList(),
                "UPDATE",
                "NEW_VALUES",
                1,
                1,
                "",
                false);
    }

    public ScriptedSource heartbeat(String partition, long second) {
        return add(partition, new HeartbeatRecord(at(second)));
    }

    /** Adds the root's children, one record each, all from the start. */
    public ScriptedSource roots(String... children) {
        for (String child : children) {
            add(PartitionToken.ROOT.value(), new ChildPartitionsRecord(START, "0", List.of(child(child))));
        }
        return end(PartitionToken.ROOT.value());
    }

    /** Adds a record that names children, without ending the partition. */
    public ScriptedSource children(String partition, long second, ChildPartition... children) {
        return add(partition, new ChildPartitionsRecord(at(second), "0", List.of(children)));
    }

    public static ChildPartition child(String token, String... parents) {
        return ChildPartition.of(token, Arrays.asList(parents));
    }

    public ScriptedSource end(String partition) {
        return locked(() -> partition(partition).ended = true);
    }

    /** Ends the partition and names several children. */
    public ScriptedSource split(String partition, long second, String... children) {
        children(
                partition,
                second,
                Arrays.stream(children).map(c -> child(c, partition)).toArray(ChildPartition[]::new));
        return end(partition);
    }

    /** Ends both partitions with one common child, which both report. */
    public ScriptedSource merge(String left, String right, long second, String child) {
        children(left, second, child(child, left, right)).end(left);
        return children(right, second, child(child, left, right)).end(right);
    }

    /** Names partitions to read, as streams with mutable key ranges do, without ending the partition. */
    public ScriptedSource start(String partition, long second, String... tokens) {
        return add(partition, new PartitionStartRecord(at(second), nextSequence(partition), List.of(tokens)));
    }

    /** Adds the event of key ranges that came from the sources, if any, and went to the destinations, if any. */
    public ScriptedSource moves(String partition, long second, List<String> sources, List<String> destinations) {
        return add(
                partition,
                new PartitionEventRecord(at(second), nextSequence(partition), partition, sources, destinations));
    }

    /** Ends a partition of a stream with mutable key ranges by its end record. */
    public ScriptedSource endRecord(String partition, long second) {
        add(partition, new PartitionEndRecord(at(second), nextSequence(partition), partition));
        return end(partition);
    }

    /** Returns a sequence that is later than those of the partition's records so far. */
    private String nextSequence(String partition) {
        lock.lock();
        try {
            return "%08d".formatted(partition(partition).records.size() + 1);
        } finally {
            lock.unlock();
        }
    }

    public ScriptedSource fault(String partition, Fault... inOrder) {
        return locked(
                () -> faults.computeIfAbsent(partition, p -> new ArrayDeque<>()).addAll(List.of(inOrder)));
    }

    /** Rejects queries of the partition, before any of its faults. */
    public ScriptedSource refuse(String partition, Refusal refusal) {
        return locked(() -> refusals.put(partition, refusal));
    }

    /** Sets the result of initial queries that start after {@link #START}: the partitions that are alive there. */
    public ScriptedSource livingLater(String... tokens) {
        return locked(() -> {
            livingLater.clear();
            Arrays.stream(tokens).map(ScriptedSource::child).forEach(livingLater::add);
        });
    }

    public ScriptedSource retention(Duration period) {
        return locked(() -> retention = Optional.of(period));
    }

    public ScriptedSource maxOpenQueries(int queries) {
        return locked(() -> maxOpenQueries = queries);
    }

    /** Sets the server's time, at first an hour after {@link #START}. A query with an end stays open until it has passed that. */
    public ScriptedSource serverTime(Instant time) {
        return locked(() -> serverTime = time);
    }

    /** Sets the query by which a new subscription begins with a snapshot; scripted as a partition of that name. */
    public ScriptedSource snapshotQuery(String query) {
        return locked(() -> snapshotQuery = new PartitionToken(query));
    }

    /** Makes the next requests for the server's time fail with a retryable error. */
    public ScriptedSource failServerTime(int times) {
        return locked(() -> serverTimeFailures = times);
    }

    public int serverTimeAnswers() {
        lock.lock();
        try {
            return serverTimeAnswers;
        } finally {
            lock.unlock();
        }
    }

    public List<PartitionQuery> queries() {
        lock.lock();
        try {
            return List.copyOf(queries);
        } finally {
            lock.unlock();
        }
    }

    public List<PartitionQuery> queriesOf(String partition) {
        return queries().stream()
                .filter(query -> query.token().value().equals(partition))
                .toList();
    }

    /** Returns the number of rows that the queries of the partition have returned. */
    public int rowsReturned(String partition) {
        lock.lock();
        try {
            return partition(partition).returned;
        } finally {
            lock.unlock();
        }
    }

    public int openCursors() {
        lock.lock();
        try {
            return openCursors;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the highest number of cursors that were open at one time. */
    public int mostOpenCursors() {
        lock.lock();
        try {
            return mostOpenCursors;
        } finally {
            lock.unlock();
        }
    }

    public ScriptedSource add(String partition, ChangeRecord record) {
        return locked(() -> partition(partition).records.add(record));
    }

    private ScriptedPartition partition(String token) {
        return partitions.computeIfAbsent(token, t -> new ScriptedPartition());
    }

    private ScriptedSource locked(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        return this;
    }

    @Override
    public String streamName() {
        return "Orders";
    }

    @Override
    public PartitionMode partitionMode() {
        lock.lock();
        try {
            return partitionMode;
        } finally {
            lock.unlock();
        }
    }

    public ScriptedSource partitionMode(PartitionMode mode) {
        lock.lock();
        try {
            partitionMode = mode;
        } finally {
            lock.unlock();
        }
        return this;
    }

    @Override
    public Optional<Duration> retention() {
        lock.lock();
        try {
            return retention;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int maxOpenQueries() {
        lock.lock();
        try {
            return maxOpenQueries;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Instant serverTime() {
        lock.lock();
        try {
            if (serverTimeFailures > 0) {
                serverTimeFailures--;
                throw new SourceException(SourceException.Kind.TRANSIENT, "scripted failure", null);
            }
            serverTimeAnswers++;
            return serverTime;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the server's time; the rows of a snapshot are scripted as partitions. */
    @Override
    public Instant snapshotTime() {
        return serverTime();
    }

    @Override
    public PartitionToken snapshotQuery() {
        lock.lock();
        try {
            return snapshotQuery;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        lock.lock();
        try {
            queries.add(query);
            Refusal refusal = refusals.get(query.token().value());
            SourceException refused = refusal == null ? null : refusal.of(query);
            if (refused != null) {
                throw refused;
            }
            openCursors++;
            mostOpenCursors = Math.max(mostOpenCursors, openCursors);
            Deque<Fault> planned = faults.get(query.token().value());
            Fault fault = planned == null ? null : planned.poll();
            return new Cursor(answering(query), query, fault == null ? new Fault.None() : fault);
        } finally {
            lock.unlock();
        }
    }

    private ScriptedPartition answering(PartitionQuery query) {
        if (!query.token().isRoot() || !query.startTimestamp().isAfter(START)) {
            return partition(query.token().value());
        }
        ScriptedPartition initial = new ScriptedPartition();
        livingLater.forEach(
                child -> initial.records.add(new ChildPartitionsRecord(query.startTimestamp(), "0", List.of(child))));
        initial.ended = true;
        return initial;
    }

    @Override
    public void close() {
        // nothing to close
    }

    private static final class ScriptedPartition {
        final List<ChangeRecord> records = new ArrayList<>();
        boolean ended;
        int returned;
    }

    private final class Cursor implements ChangeStreamCursor {
        private final ScriptedPartition partition;
        private final PartitionQuery query;
        private final Fault fault;
        private int index;
        private int rows;
        private @Nullable ChangeRecord again;
        private boolean garbled;
        private boolean closed;

        Cursor(ScriptedPartition partition, PartitionQuery query, Fault fault) {
            this.partition = partition;
            this.query = query;
            this.fault = fault;
        }

        @Override
        public Optional<ChangeRecord> next() throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (true) {
                    if (closed) {
                        throw new SourceException(SourceException.Kind.CANCELLED, "closed", null);
                    }
                    if (fault instanceof Fault.Break broken && rows == broken.afterRows()) {
                        throw new SourceException(broken.kind(), "scripted fault", null);
                    }
                    if (fault instanceof Fault.Fail fail && rows == fail.afterRows()) {
                        throw fail.failure();
                    }
                    if (fault instanceof Fault.Garble garble && rows == garble.afterRows() && !garbled) {
                        garbled = true;
                        throw SourceException.undecodable(
                                garble.change(), "a garbled row", new IllegalArgumentException("no mods"));
                    }
                    if (fault instanceof Fault.EndWithOk end && rows == end.afterRows()) {
                        return Optional.empty();
                    }
                    if (fault instanceof Fault.Stall stall && rows == stall.afterRows()) {
                        changed.await();
                        continue;
                    }
                    if (again != null) {
                        ChangeRecord repeated = again;
                        again = null;
                        return Optional.of(repeated);
                    }
                    while (index < partition.records.size()) {
                        ChangeRecord record = partition.records.get(index++);
                        if (isInside(record)) {
                            rows++;
                            partition.returned++;
                            again = fault instanceof Fault.Repeat ? record : null;
                            return Optional.of(record);
                        }
                    }
                    if (partition.ended
                            || query.endTimestamp().filter(serverTime::isAfter).isPresent()) {
                        return Optional.empty();
                    }
                    changed.await();
                }
            } finally {
                lock.unlock();
            }
        }

        private boolean isInside(ChangeRecord record) {
            return !record.timestamp().isBefore(query.startTimestamp())
                    && query.endTimestamp()
                            .map(end -> !record.timestamp().isAfter(end))
                            .orElse(true);
        }

        @Override
        public int prefetched() {
            lock.lock();
            try {
                boolean isHere = fault instanceof Fault.None && index < partition.records.size();
                return isHere && isInside(partition.records.get(index)) ? 1 : 0;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            locked(() -> {
                if (!closed) {
                    openCursors--;
                }
                closed = true;
            });
        }
    }
}
