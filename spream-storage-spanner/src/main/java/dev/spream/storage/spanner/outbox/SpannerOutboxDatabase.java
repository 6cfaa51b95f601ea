package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.AbortedException;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.ReadOnlyTransaction;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Value;
import dev.spream.core.DurationText;
import dev.spream.core.StorageException;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.client.DatabaseCalls;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The database of an outbox: calls with a time limit, each a transaction of its own, and the queries of indexes that
 * begin with a shard. Safe for use by many threads.
 *
 * @param writesInTurn whether transactions run one after the other, since a client of Google's emulator has one session,
 *     which has one transaction at a time
 * @param name what identifies the outbox in this process
 */
record SpannerOutboxDatabase(
        DatabaseClient client, OutboxSchema tables, DatabaseCalls calls, boolean writesInTurn, String name) {
    static final Duration TIMEOUT = Duration.ofSeconds(6);
    static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);
    static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);

    /**
     * Opens the outbox whose tables exist.
     *
     * @throws IllegalArgumentException if an argument is out of its range
     * @throws StorageException if a table or column is missing, or the database cannot be queried
     */
    static SpannerOutboxDatabase open(SpannerConnection connection, String table, Duration callTimeout) {
        OutboxSchema.requireValid(table);
        if (callTimeout.compareTo(MIN_TIMEOUT) < 0 || callTimeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new IllegalArgumentException("callTimeout is %s, must be %s to %s"
                    .formatted(
                            DurationText.of(callTimeout), DurationText.of(MIN_TIMEOUT), DurationText.of(MAX_TIMEOUT)));
        }
        String name = connection.database() + " outbox " + table;
        DatabaseCalls calls = new DatabaseCalls(name, callTimeout);
        DatabaseClient client = connection.client();
        OutboxSchema tables = new OutboxSchema(table, calls.run("reading the dialect", client::getDialect));
        SpannerOutboxDatabase database = new SpannerOutboxDatabase(client, tables, calls, isEmulator(connection), name);
        Map.of(
                        tables.entries(), EntryColumns.DECLARATIONS,
                        tables.ledger(), LedgerRow.DECLARATIONS,
                        tables.segments(), SegmentRows.SEGMENT_DECLARATIONS,
                        tables.workers(), SegmentRows.WORKER_DECLARATIONS,
                        tables.audit(), AuditRows.DECLARATIONS)
                .forEach((each, columns) -> database.read(
                        "looking for the table " + each,
                        context -> Rows.all(
                                context.read(each, KeySet.all(), OutboxSchema.columns(columns), Options.limit(1)),
                                row -> row)));
        return database;
    }

    /** An emulator is reached without TLS. */
    private static boolean isEmulator(SpannerConnection connection) {
        return connection.spanner().getOptions().getHost().startsWith("http://");
    }

    /** Returns this database with the time limit of calls that may read a whole table. */
    SpannerOutboxDatabase patient() {
        return new SpannerOutboxDatabase(client, tables, calls.within(MAX_TIMEOUT), writesInTurn, name);
    }

    /** Reads with one request, which sees all that was committed before. */
    <T> T read(String what, Function<ReadContext, T> reading) {
        return calls.run(what, () -> reading.apply(client.singleUse()));
    }

    /** Reads at one moment with several requests. */
    <T> T readAtOnce(String what, Function<ReadContext, T> reading) {
        return calls.run(what, () -> {
            try (ReadOnlyTransaction snapshot = client.readOnlyTransaction()) {
                return reading.apply(snapshot);
            }
        });
    }

    /** Changes rows in a transaction, which is repeated if Spanner aborts it. */
    <T> T write(String what, Function<OutboxWrite, T> work) {
        Callable<T> transaction = () -> client.readWriteTransaction().run(context -> {
            OutboxWrite write = new OutboxWrite(context, tables);
            T result = work.apply(write);
            write.buffer();
            return result;
        });
        return writesInTurn ? calls.runInTurn(what, transaction) : calls.run(what, transaction);
    }

    /**
     * Runs statements in a transaction of the caller.
     *
     * @throws AbortedException if the caller has to repeat the transaction
     * @throws IllegalArgumentException if the work refuses a value
     * @throws StorageException if a statement failed otherwise
     */
    <T> T inTransaction(String what, Supplier<T> work) {
        try {
            return work.get();
        } catch (AbortedException | IllegalArgumentException e) {
            throw e;
        } catch (RuntimeException e) {
            throw calls.failed(what, e);
        }
    }

    /** Returns Spanner's time, in microseconds. */
    static Instant now(ReadContext context) {
        return Timestamps.current(context).truncatedTo(ChronoUnit.MICROS);
    }

    /** Returns ids of entries from an index by shard and time, the earliest of all shards first. */
    List<Long> ids(String index, String shard, String time, String condition, List<Value> values, int limit) {
        return read(
                "reading the index " + index,
                context -> Rows.all(
                        context.executeQuery(
                                earliest(tables.entries(), index, shard, time, "Id", condition, values, limit)),
                        row -> row.getLong(0)));
    }

    /**
     * Returns a query of rows of an index by shard and time, the earliest of all shards first. Each shard is read only
     * as far as needed. The index leaves out rows in which one of both is NULL, and so has the query, to use it.
     *
     * <p>It returns the key, the time, and Spanner's time as {@code Now}.
     *
     * @param key the column that orders rows of the same time
     * @param condition an SQL condition on the other columns of the index
     */
    Statement earliest(
            String table,
            String index,
            String shard,
            String time,
            String key,
            String condition,
            List<Value> values,
            int limit) {
        String order = tables.quoted(List.of(time, key));
        String whole = tables.quoted(time) + " IS NOT NULL AND " + condition;
        String branches = IntStream.range(0, OutboxSchema.SHARDS)
                .mapToObj(
                        number -> "(SELECT %s, %s FROM %s WHERE %s IS NOT NULL AND %s = %d AND %s ORDER BY %s LIMIT %d)"
                                .formatted(
                                        tables.quoted(key),
                                        tables.quoted(time),
                                        tables.using(table, index),
                                        tables.quoted(shard),
                                        tables.quoted(shard),
                                        number,
                                        whole,
                                        order,
                                        limit))
                .collect(Collectors.joining(" UNION ALL "));
        return Rows.bound(
                "SELECT %s, CURRENT_TIMESTAMP AS %s FROM (%s) AS earliest ORDER BY %s LIMIT %d"
                        .formatted(tables.quoted(List.of(key, time)), tables.quoted("Now"), branches, order, limit),
                values);
    }

    @Override
    public String toString() {
        return name;
    }
}
