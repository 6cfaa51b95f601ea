package dev.spream.emulator.internal.upstream;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;

import com.google.protobuf.Struct;
import com.google.spanner.admin.database.v1.DatabaseAdminGrpc;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.admin.database.v1.UpdateDatabaseDdlRequest;
import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.CommitResponse;
import com.google.spanner.v1.Type;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.internal.database.RecordedCommits;
import dev.spream.emulator.internal.schema.Commit;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.PartitionMode;
import dev.spream.emulator.internal.stream.ChangeStreams;
import dev.spream.emulator.internal.stream.EmulatorThreads;
import dev.spream.emulator.internal.stream.FollowedClock;
import dev.spream.emulator.internal.stream.PartitionModeDdl;
import dev.spream.emulator.internal.stream.StreamSettings;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A database of the other server. Its change streams are read there, in steps, and served here from partitions of this
 * server's own. Safe for use by many threads. Its creator closes it; queries then end.
 */
public final class FollowedDatabase implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FollowedDatabase.class);

    /** The stream of the commit log, in the other server. */
    private static final String LOG_STREAM = "spream_commit_log";

    private static final String DIALECT =
            "select option_value from information_schema.database_options where option_name = 'database_dialect'";
    private static final String STREAMS = "select change_stream_name from information_schema.change_streams";
    private static final String OPTIONS =
            "select change_stream_name, option_name, option_value from information_schema.change_stream_options";
    private static final Set<String> SERVED_OPTIONS = Set.of("value_capture_type", "retention_period");
    private static final long LOOK_MILLIS = 100;

    private final String name;
    private final DatabaseAdminGrpc.DatabaseAdminBlockingStub admin;
    private final Dialect dialect;
    private final UpstreamClient client;
    private final ExactValues values;
    private final CommitTags tags = new CommitTags();
    private final TransactionTurns turns = new TransactionTurns(Duration.ofMillis(500));
    private final FollowedClock clock;
    private final ChangeStreams streams;
    private final List<Followed> followed = new CopyOnWriteArrayList<>();
    private final Map<String, PartitionMode> modes = new ConcurrentSkipListMap<>();
    private final List<RecordedCommits> logs = new CopyOnWriteArrayList<>();
    private final ReentrantLock refreshing = new ReentrantLock();
    private final Semaphore changed = new Semaphore(0);
    private final Thread looks;
    private volatile boolean outdated; // whether a stream was found dropped since the last refresh

    /** A stream, and what takes its commits with their transactions' numbers and their value capture types. */
    private record Followed(UpstreamStream stream, CommitSink sink) {}

    @FunctionalInterface
    private interface CommitSink {
        void take(Commit commit, long transactionId, String valueCaptureType);
    }

    /**
     * Begins to follow a database.
     *
     * @param ddl the statements with which it was created just now; empty if it was there
     * @throws StatusRuntimeException NOT_FOUND if it does not exist
     */
    public FollowedDatabase(
            Channel channel, String name, List<String> ddl, InstantSource time, StreamSettings settings, long seed) {
        this.name = name;
        this.admin = DatabaseAdminGrpc.newBlockingStub(channel);
        this.client = new UpstreamClient(channel, name);
        DatabaseDialect declared = DatabaseDialect.valueOf(
                client.strings(DIALECT, Map.of()).getFirst().getFirst());
        this.dialect = Dialect.of(declared);
        this.values = new ExactValues(client, dialect == Dialect.POSTGRESQL);
        this.clock = new FollowedClock(time, this::publish);
        this.streams = new ChangeStreams(declared, clock, settings, seed);
        this.looks = EmulatorThreads.builder().name("spream-emulator-follow").unstarted(this::look);
        applied(ddl);
        looks.start();
    }

    public Dialect dialect() {
        return dialect;
    }

    public ChangeStreams streams() {
        return streams;
    }

    public TransactionTurns turns() {
        return turns;
    }

    /** Returns the partition modes that are served here and unknown to the other server, by stream. */
    public Map<String, PartitionMode> modes() {
        return modes;
    }

    /** Returns a query of the other server that finds these partition modes, too. */
    public String withModes(String sql) {
        return PartitionModeRows.added(sql, dialect, name.substring(name.lastIndexOf('/') + 1), modes);
    }

    /**
     * Returns the query, if the text reads a change stream.
     *
     * @throws StatusRuntimeException if it does so in a way that Spanner refuses, or there is no such stream
     */
    public Optional<ChangeStreamQuery> streamQuery(String sql, Struct params, Map<String, Type> types) {
        try {
            Optional<ChangeStreamQuery> query = streams.parse(sql, params, types);
            if (query.isEmpty() || query.get().partition().isPresent()) {
                return query;
            }
        } catch (StatusRuntimeException e) {
            // As for an initial query.
        }
        // A client of the other server may have created, altered or dropped the stream there.
        refresh();
        return streams.parse(sql, params, types);
    }

    /** Makes a commit in the other server; its changes are looked for at once. */
    public CommitResponse commit(CommitRequest request, Function<CommitRequest, CommitResponse> call) {
        try {
            return tags.during(request, call);
        } finally {
            changed.release();
        }
    }

    /**
     * Takes over the change streams as DDL statements have left them in the other server.
     *
     * @param statements those that the client sent, of which the last ones may have failed
     */
    public void applied(List<String> statements) {
        refreshing.lock();
        try {
            dropReplaced();
            for (String statement : statements) {
                created(statement)
                        .filter(created -> !isFollowed(created.stream()))
                        .ifPresent(created -> created.mode()
                                .ifPresentOrElse(
                                        mode -> modes.put(created.stream(), mode),
                                        () -> modes.remove(created.stream())));
            }
            refresh();
        } finally {
            refreshing.unlock();
        }
    }

    private Optional<PartitionModeDdl> created(String statement) {
        try {
            return PartitionModeDdl.created(statement, dialect);
        } catch (StatusRuntimeException e) {
            return Optional.empty(); // what cannot be parsed here is the other server's to judge
        }
    }

    /** Returns whether the other server has another stream of this name now. */
    private static boolean isReplaced(Followed each) {
        try {
            return each.stream().isReplaced();
        } catch (StatusRuntimeException e) {
            if (isMissing(e)) {
                return false;
            }
            throw e;
        }
    }

    private boolean isFollowed(String stream) {
        return followed.stream().anyMatch(each -> each.stream().name().equals(stream));
    }

    /** Returns whether an error of the other server says that a stream does not exist. */
    private static boolean isMissing(StatusRuntimeException failure) {
        String text = String.valueOf(failure.getStatus().getDescription());
        return text.contains("Table-valued function not found")
                || (text.contains("function spanner.") && text.contains("does not exist"));
    }

    /** Forgets what is known of tables, which a DDL statement may have changed. */
    public void forgetTables() {
        values.forgetTables();
    }

    /** Takes over the change streams as they are in the other server now. */
    private void refresh() {
        refreshing.lock();
        try {
            values.forgetTables();
            outdated = false;
            dropReplaced();
            Map<String, Map<String, String>> present = declared();
            drop(each -> !present.containsKey(each.stream().name()));
            modes.keySet().retainAll(present.keySet());
            present.forEach(this::follow);
        } finally {
            refreshing.unlock();
        }
    }

    /** Drops the streams that the other server has dropped and created again. */
    private void dropReplaced() {
        drop(FollowedDatabase::isReplaced);
    }

    private void drop(Predicate<Followed> which) {
        for (Followed each : List.copyOf(followed)) {
            String stream = each.stream().name();
            if (!stream.equals(LOG_STREAM) && which.test(each)) {
                followed.remove(each);
                modes.remove(stream);
                streams.unfollow(stream);
            }
        }
    }

    /** Returns the streams by name, with the options that matter here. */
    private Map<String, Map<String, String>> declared() {
        Map<String, Map<String, String>> options = new TreeMap<>();
        client.strings(OPTIONS, Map.of()).stream()
                .filter(row -> SERVED_OPTIONS.contains(row.get(1)))
                .forEach(row -> options.computeIfAbsent(row.get(0), stream -> new TreeMap<>())
                        .put(row.get(1), row.get(2)));
        modes.forEach((stream, mode) ->
                options.computeIfAbsent(stream, each -> new TreeMap<>()).put("partition_mode", mode.name()));
        return client.strings(STREAMS, Map.of()).stream()
                .map(List::getFirst)
                .filter(stream -> !stream.equals(LOG_STREAM))
                .collect(toMap(stream -> stream, stream -> options.getOrDefault(stream, Map.of())));
    }

    private void follow(String stream, Map<String, String> options) {
        if (isFollowed(stream)) {
            streams.follow(stream, options, Instant.EPOCH);
            return;
        }
        UpstreamStream opened = UpstreamStream.open(client, stream, dialect);
        streams.follow(stream, options, opened.created());
        followed.add(new Followed(opened, (commit, id, type) -> streams.commit(stream, commit, id, type)));
    }

    /** Hands over the commits up to the present; called by the clock, one call at a time. */
    private Instant publish(Instant limit) {
        Instant present = client.readTimestamp();
        Instant until = present.isBefore(limit) ? present : limit;
        tags.awaitAnswers();
        followed.forEach(each -> publish(each, until));
        tags.forget(until);
        return until;
    }

    private void publish(Followed each, Instant until) {
        while (each.stream().isBehind(until)) {
            try {
                take(each, step(each.stream(), until));
            } catch (StatusRuntimeException e) {
                if (!isMissing(e)) {
                    throw e;
                }
                outdated = true; // dropped in the other server directly: the next look refreshes
                return;
            }
        }
    }

    /** Reads a step up to that time, or a shorter one if the other server does not answer a long one in time. */
    private static UpstreamStream.Step step(UpstreamStream stream, Instant until) {
        try {
            return stream.readTo(until);
        } catch (StatusRuntimeException e) {
            return switch (e.getStatus().getCode()) {
                case DEADLINE_EXCEEDED -> stream.readTo(stream.halfWayTo(until));
                case OUT_OF_RANGE -> {
                    stream.reopen();
                    yield stream.readTo(until);
                }
                default -> throw e;
            };
        }
    }

    private void take(Followed each, UpstreamStream.Step step) {
        Map<Long, List<UpstreamRecord>> transactions = step.records().stream()
                .collect(groupingBy(UpstreamRecord::transactionId, LinkedHashMap::new, toList()));
        List<Runnable> taking = new ArrayList<>();
        transactions.forEach((id, records) -> {
            Commit commit = commit(records);
            taking.add(() -> each.sink().take(commit, id, records.getFirst().valueCaptureType()));
        });
        taking.forEach(Runnable::run);
        each.stream().taken(step);
    }

    private Commit commit(List<UpstreamRecord> records) {
        List<RowChange> changes = new ArrayList<>();
        for (UpstreamRecord record : records) {
            changes.addAll(values.of(record).changes(values.keyOrder(record)));
        }
        Instant timestamp = records.getFirst().commitTimestamp();
        return new Commit(timestamp, tags.of(timestamp), false, false, changes);
    }

    /** Looks for commits while queries are running: after each that passed through, and often enough for the others. */
    private void look() {
        try {
            while (true) {
                changed.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                changed.drainPermits();
                if (streams.running() > 0) {
                    lookOnce();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void lookOnce() {
        try {
            clock.now();
            if (outdated) {
                refresh();
            }
        } catch (RuntimeException e) {
            // The queries make the same call for their heartbeats, and end with its error.
            log.debug("database {} cannot be followed at the moment", name, e);
        }
    }

    /** Returns a log of the commits from now on. It has a change stream of its own in the other server. */
    public CommitLog recordCommits() {
        refreshing.lock();
        try {
            if (!isFollowed(LOG_STREAM)) {
                createLogStream();
                followed.add(new Followed(
                        UpstreamStream.open(client, LOG_STREAM, dialect),
                        (commit, id, type) -> logs.forEach(each -> each.add(commit))));
            }
            clock.now();
            RecordedCommits recorded = new RecordedCommits();
            logs.add(recorded);
            return () -> {
                clock.now();
                return recorded.rows();
            };
        } finally {
            refreshing.unlock();
        }
    }

    private void createLogStream() {
        String clause = dialect == Dialect.POSTGRESQL ? "WITH" : "OPTIONS";
        if (!client.strings(STREAMS, Map.of()).contains(List.of(LOG_STREAM))) {
            ddl("CREATE CHANGE STREAM %s FOR ALL %s (value_capture_type = 'NEW_ROW_AND_OLD_VALUES')"
                    .formatted(LOG_STREAM, clause));
        }
    }

    private void ddl(String statement) {
        admin.updateDatabaseDdl(UpdateDatabaseDdlRequest.newBuilder()
                .setDatabase(name)
                .addStatements(statement)
                .build());
    }

    @Override
    public void close() {
        looks.interrupt();
        streams.close();
        client.close();
    }
}
