package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.Value;
import dev.spream.core.StorageException;
import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxFilter;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@link OutboxOperations} on an outbox in a Spanner database of either dialect. A list by other criteria than the
 * status reads the whole table, for at most a minute. Safe for use by many threads. It does not close
 * its connection.
 */
public final class SpannerOutboxOperations implements OutboxOperations {
    /** The number of entries that a transaction releases, and of keys that a request reads. */
    private static final int ROWS = 500;

    private final SpannerOutboxDatabase database;
    private final OutboxSchema tables;

    SpannerOutboxOperations(SpannerOutboxDatabase database) {
        this.database = database;
        this.tables = database.tables();
    }

    /**
     * Opens the operations on the outbox with that table of entries.
     *
     * @throws IllegalArgumentException if the name is not a valid name of a table
     * @throws StorageException if tables are missing, or the database cannot be queried
     */
    public static SpannerOutboxOperations open(SpannerConnection connection, String table) {
        return new SpannerOutboxOperations(
                SpannerOutboxDatabase.open(connection, table, SpannerOutboxDatabase.TIMEOUT));
    }

    @Override
    public OutboxStats stats() {
        return new OutboxCounts(database).read(OutboxCounts.BOUND);
    }

    @Override
    public OutboxStats exactStats() {
        return new OutboxCounts(database.patient()).read(Integer.MAX_VALUE);
    }

    @Override
    public List<OutboxRow> list(OutboxFilter filter) {
        List<String> conditions = new ArrayList<>();
        List<Value> values = new ArrayList<>();
        condition(conditions, values, "Id", ">", Value.int64(filter.afterId()));
        List<String> states = states(filter);
        if (!states.isEmpty()) {
            conditions.add(tables.quoted("State") + " IN ('" + String.join("', '", states) + "')");
        }
        if (!filter.destination().isEmpty()) {
            condition(conditions, values, "Destination", "=", Value.string(filter.destination()));
        }
        filter.orderingKey().ifPresent(key -> condition(conditions, values, "OrderingKey", "=", Value.string(key)));
        filter.reason()
                .ifPresent(reason -> condition(conditions, values, "LastError", "=", Value.string(reason.value())));
        String query = "SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT %d"
                .formatted(
                        tables.quoted(EntryColumns.NAMES),
                        tables.quoted(tables.entries()),
                        String.join(" AND ", conditions),
                        tables.quoted("Id"),
                        filter.limit());
        return database.patient()
                .readAtOnce(
                        "listing entries",
                        context -> rows(
                                context, Rows.all(context.executeQuery(Rows.bound(query, values)), EntryRow::new)));
    }

    private void condition(List<String> conditions, List<Value> values, String column, String operator, Value value) {
        values.add(value);
        conditions.add(tables.quoted(column) + " " + operator + " " + tables.parameter(values.size()));
    }

    /** Returns the states of the entries to list; empty for all. */
    private static List<String> states(OutboxFilter filter) {
        boolean all = filter.statuses().isEmpty();
        Stream<String> parked = all || filter.statuses().contains(OutboxStatus.FAILED)
                ? Stream.of(EntryColumns.PARKED, EntryColumns.PARKED_UNKNOWN)
                : Stream.of();
        if (filter.parkedOnly()) {
            List<String> states = parked.toList();
            return states.isEmpty() ? List.of("none") : states;
        }
        return all
                ? List.of()
                : Stream.concat(filter.statuses().stream().map(OutboxStatus::text), parked)
                        .toList();
    }

    private List<OutboxRow> rows(ReadContext context, List<EntryRow> entries) {
        List<OutboxRow> rows = new ArrayList<>();
        for (int from = 0; from < entries.size(); from += ROWS) {
            List<EntryRow> part = entries.subList(from, Math.min(entries.size(), from + ROWS));
            Map<String, LedgerRow> requests = LedgerRow.last(
                    context, tables, part.stream().map(EntryRow::key).toList());
            part.forEach(entry -> rows.add(
                    entry.row(Optional.ofNullable(requests.get(entry.key())).map(LedgerRow::entry))));
        }
        return rows;
    }

    @Override
    public Optional<OutboxRow> find(long id) {
        return database.readAtOnce("reading an entry", context -> find(context, id));
    }

    private Optional<OutboxRow> find(ReadContext context, long id) {
        return Optional.ofNullable(context.readRow(tables.entries(), EntryRow.key(id), EntryColumns.NAMES))
                .map(row -> rows(context, List.of(new EntryRow(row))).getFirst());
    }

    @Override
    public Optional<OutboxRow> find(String idempotencyKey) {
        return database.readAtOnce(
                "reading an entry",
                context -> LedgerRow.last(context, tables, idempotencyKey)
                        .map(LedgerRow::entryId)
                        .flatMap(id -> find(context, id)));
    }

    @Override
    public Optional<String> payload(long id) {
        return database.read(
                        "reading a payload",
                        context -> Optional.ofNullable(
                                context.readRow(tables.entries(), EntryRow.key(id), List.of(EntryColumns.PAYLOAD))))
                .map(row -> row.getString(0));
    }

    @Override
    public List<AuditEntry> audit(long id) {
        return database.read("reading the audit", context -> AuditRows.of(context, tables, id));
    }

    @Override
    public OperatorResult requeue(long id, OperatorAction act) {
        return change("requeue", id, act, (write, entry, last) -> {
            if (entry.status() == OutboxStatus.SUCCEEDED) {
                return Made.refused("it succeeded");
            }
            if (entry.hasExpired(write.now())) {
                return Made.refused("it has expired");
            }
            if (entry.isDue(write.now())) {
                return Made.refused("it is already due");
            }
            if (entry.status() != OutboxStatus.ABORTED) {
                entry.requeue(entry.generation(), write.now());
                return Made.DONE;
            }
            Optional<LedgerRow> failed = last.filter(LedgerRow::hasFailed);
            failed.ifPresent(row -> {
                LedgerRow next = row.reopened(write.now());
                write.write(next);
                entry.requeue(next.generation(), write.now());
            });
            return failed.isPresent() ? Made.DONE : Made.refused("the ledger has no failed request for it");
        });
    }

    @Override
    public OperatorResult settle(long id, LedgerResult result, OperatorAction act) {
        return change(
                "settle", id, act, (write, entry, last) -> finish(write, entry, result, "settled by an operator"));
    }

    @Override
    public OperatorResult abort(long id, OperatorAction act) {
        LedgerResult result = LedgerResult.failed(ReasonCode.ABORTED_BY_HAND);
        return change("abort", id, act, (write, entry, last) -> finish(write, entry, result, "aborted by an operator"));
    }

    private static Made finish(OutboxWrite write, EntryRow entry, LedgerResult result, String message) {
        if (entry.status().isSettled()) {
            return Made.refused("it is already settled: " + entry.status().text());
        }
        OutboxWrite.Verdict verdict = write.verdict(entry);
        if (verdict == OutboxWrite.Verdict.CONFLICT) {
            return Made.refused("its key belongs to another request in the ledger");
        }
        write.finish(entry, result, message);
        entry.revokeClaim();
        return verdict == OutboxWrite.Verdict.OPEN ? Made.DONE : new Made(true, ", as the ledger said already");
    }

    /** The result of a change: made, with a note for the audit, or refused, with the reason. */
    private record Made(boolean done, String note) {
        static final Made DONE = new Made(true, "");

        static Made refused(String why) {
            return new Made(false, why);
        }
    }

    /** Makes a change, or returns the reason for refusing it; {@code last} is the last generation of the request. */
    private interface Change {
        Made make(OutboxWrite write, EntryRow entry, Optional<LedgerRow> last);
    }

    private OperatorResult change(String action, long id, OperatorAction act, Change change) {
        return database.write("changing an entry", write -> {
            write.load(List.of(id));
            return write.entry(id)
                    .map(entry -> change(write, action, entry, act, change))
                    .orElseGet(OperatorResult.NotFound::new);
        });
    }

    private OperatorResult change(OutboxWrite write, String action, EntryRow entry, OperatorAction act, Change change) {
        Optional<LedgerRow> last = LedgerRow.last(write.context(), tables, entry.key());
        OutboxStatus before = entry.status();
        Made made =
                entry.isLeased(write.now()) ? Made.refused("a worker is sending it") : change.make(write, entry, last);
        if (!made.done()) {
            return new OperatorResult.Refused(entry.row(last.map(LedgerRow::entry)), made.note());
        }
        record(write, action, entry, before, made.note(), act);
        return new OperatorResult.Done(
                entry.row(write.written(entry.key()).or(() -> last).map(LedgerRow::entry)));
    }

    private static void record(
            OutboxWrite write, String action, EntryRow entry, OutboxStatus before, String note, OperatorAction act) {
        AuditRows.add(
                write,
                act,
                action,
                entry,
                "%s -> %s, generation %d%s"
                        .formatted(before.text(), entry.status().text(), entry.generation(), note));
    }

    @Override
    public int releaseExpired(OperatorAction act) {
        List<Long> lapsed = database.read(
                "looking for expired leases",
                context -> Rows.all(
                        context.executeQuery(Rows.bound(
                                "SELECT %s FROM %s WHERE %s = 'sending' AND %s <= CURRENT_TIMESTAMP"
                                        .formatted(
                                                tables.quoted("Id"),
                                                tables.using(tables.entries(), tables.byState()),
                                                tables.quoted("State"),
                                                tables.quoted("DueAt")),
                                List.of())),
                        row -> row.getLong(0)));
        int released = 0;
        for (int from = 0; from < lapsed.size(); from += ROWS) {
            List<Long> part = lapsed.subList(from, Math.min(lapsed.size(), from + ROWS));
            released += database.write("releasing expired leases", write -> release(write, part, act));
        }
        return released;
    }

    private static int release(OutboxWrite write, List<Long> ids, OperatorAction act) {
        write.loadEntries(ids);
        List<EntryRow> lapsed = write.entries().stream()
                .filter(entry -> entry.hasLapsed(write.now()))
                .toList();
        for (EntryRow entry : lapsed) {
            entry.takeBack(write.now());
            record(write, "release-expired", entry, OutboxStatus.SENDING, "", act);
        }
        return lapsed.size();
    }

    @Override
    public int purge(Duration settledFor, int limit, OperatorAction act) {
        return new OldRows(database)
                .purge(settledFor, limit, (write, count) -> AuditRows.add(write, act, "purge", count + " removed"));
    }

    @Override
    public int pruneLedger(Duration settledFor, int limit, OperatorAction act) {
        return new OldRows(database)
                .pruneLedger(
                        settledFor,
                        limit,
                        (write, count) -> AuditRows.add(write, act, "prune-ledger", count + " forgotten"));
    }

    /** Does nothing: the connection belongs to the caller. */
    @Override
    public void close() {}
}
