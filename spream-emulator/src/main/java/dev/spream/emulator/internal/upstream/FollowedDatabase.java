package dev.spream.emulator.internal.upstream;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

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
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.PartitionMode;
import dev.spream.emulator.internal.streamsql.StreamStatement;
import dev.spream.emulator.internal.streamsql.StreamStatementParser;
import dev.spream.emulator.internal.stream.ChangeStreams;
import dev.spream.emulator.internal.stream.EmulatorThreads;
import dev.spream.emulator.internal.stream.FollowedClock;
import dev.spream.emulator.internal.stream.PartitionModeDdl;
import dev.spream.emulator.internal.stream.StreamSettings;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
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
    private final FollowedClock clock;
    private final ChangeStreams streams;
    private final List<Followed> followed = new CopyOnWriteArrayList<>();
    private final Map<String, PartitionMode> modes = new ConcurrentSkipListMap<>();
    private final List<RecordedCommits> logs = new CopyOnWriteArrayList<>();
    private final ReentrantLock refreshing = new ReentrantLock();
    private final Semaphore changed = new Semaphore(0);
    private final Thread looks;
    private volatile boolean missing; // whether a stream was found missing since the last refresh

    /** A stream, and what takes its commits with the numbers of their transactions. */
    private record Followed(UpstreamStream stream, CommitSink sink) {}

    @FunctionalInterface
    private interface CommitSink {
        void take(Commit commit, long transactionId);
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
            return streams.parse(sql, params, types);
        } catch (StatusRuntimeException e) {
            // A client of the other server may have created the stream there.
            refresh(Set.of());
            return streams.parse(sql, params, types);
        }
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
            Set<String> recreated = statements.stream()
                    .flatMap(statement -> dropped(statement).stream())
                    .flatMap(drop -> followed.stream()
                            .filter(each -> dialect.sameName(each.stream().name(), drop))
                            .filter(this::isRecreated))
                    .map(each -> each.stream().name())
                    .collect(toSet());
            for (String statement : statements) {
                created(statement)
                        .filter(created -> recreated.contains(created.stream()) || !isFollowed(created.stream()))
                        .ifPresent(created -> created.mode()
                                .ifPresentOrElse(
                                        mode -> modes.put(created.stream(), mode),
                                        () -> modes.remove(created.stream())));
            }
            refresh(recreated);
        } finally {
            refreshing.unlock();
        }
    }

    /** Returns the stream that a statement drops. */
    private Optional<String> dropped(String statement) {
        try {
            return StreamStatementParser.handles(dialect, statement)
                            && StreamStatementParser.parse(dialect, statement) instanceof StreamStatement.Drop drop
                    ? Optional.of(drop.stream())
                    : Optional.empty();
        } catch (StatusRuntimeException e) {
            return Optional.empty(); // what cannot be parsed here is the other server's to judge
        }
    }

    private Optional<PartitionModeDdl> created(String statement) {
        try {
            return PartitionModeDdl.created(statement, dialect);
        } catch (StatusRuntimeException e) {
            return Optional.empty(); // as above
        }
    }

    /** Returns whether the other server has a stream of this name that is another one. */
    private boolean isRecreated(Followed each) {
        try {
            Instant created =
                    UpstreamStream.open(client, each.stream().name(), dialect).created();
            return created.isAfter(each.stream().created());
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

    /** Takes over the change streams as they are in the other server now, those in {@code again} as new ones. */
    private void refresh(Set<String> again) {
        refreshing.lock();
        try {
            values.forgetTables();
            missing = false;
            Map<String, Map<String, String>> present = declared();
            for (Followed each : followed) {
                String stream = each.stream().name();
                boolean gone = !present.containsKey(stream) || again.contains(stream);
                if (gone && !stream.equals(LOG_STREAM)) {
                    followed.remove(each);
                    streams.unfollow(stream);
                }
            }
            modes.keySet().retainAll(present.keySet());
            present.forEach(this::follow);
        } finally {
            refreshing.unlock();
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
        followed.add(new Followed(opened, (commit, id) -> streams.commit(stream, commit, id)));
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
                missing = true; // dropped in the other server directly: the next look refreshes
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
        Map<Long, Commit> commits = new LinkedHashMap<>();
        transactions.forEach((id, records) -> commits.put(id, commit(records)));
        commits.forEach((id, commit) -> each.sink().take(commit, id));
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
            if (missing) {
                refresh(Set.of());
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
                        (commit, id) -> logs.forEach(each -> each.add(commit))));
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
