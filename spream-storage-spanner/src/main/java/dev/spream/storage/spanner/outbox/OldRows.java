package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import dev.spream.outbox.OutboxHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.ObjIntConsumer;

/**
 * Removes old rows. Candidates come from an index of rows that can be removed, and are checked again in the transaction
 * that deletes them. With the entry of a request its request becomes one that can be forgotten.
 */
record OldRows(SpannerOutboxDatabase database) {
    /** The number of rows that a transaction removes. */
    private static final int ROWS = 1_000;

    int remove(OutboxHistory part, Duration age, int limit) {
        return switch (part) {
            case ENTRIES -> purge(age, limit, (write, count) -> {});
            case LEDGER -> pruneLedger(age, limit, (write, count) -> {});
            case AUDIT -> removeAudit(age, limit);
        };
    }

    /** @param record called in each transaction with the number of removed entries */
    int purge(Duration age, int limit, ObjIntConsumer<OutboxWrite> record) {
        OutboxSchema tables = database.tables();
        return remove(
                limit,
                now(age),
                (until, rows) -> database.ids(
                        tables.bySettlement(),
                        "SettledShard",
                        "SettledAt",
                        notAfter("SettledAt"),
                        List.of(Rows.value(until)),
                        rows),
                (write, until, ids) -> {
                    write.loadEntries(ids);
                    List<EntryRow> old = write.entries().stream()
                            .filter(entry -> entry.status().isSettled()
                                    && !entry.updatedAt().isAfter(until))
                            .toList();
                    Map<String, LedgerRow> requests = LedgerRow.last(
                            write.context(),
                            tables,
                            old.stream().map(EntryRow::key).toList());
                    requests.values().forEach(request -> write.write(request.withoutEntry()));
                    old.forEach(entry -> write.write(Mutation.delete(tables.entries(), EntryRow.key(entry.id()))));
                    return old.size();
                },
                record);
    }

    int pruneLedger(Duration age, int limit, ObjIntConsumer<OutboxWrite> record) {
        OutboxSchema tables = database.tables();
        return remove(
                limit,
                now(age),
                (until, rows) -> database.read(
                        "reading the index " + tables.ledgerBySettlement(),
                        context -> Rows.all(
                                context.executeQuery(database.earliest(
                                        tables.ledger(),
                                        tables.ledgerBySettlement(),
                                        "ForgetShard",
                                        "ForgetAt",
                                        "IdempotencyKey",
                                        notAfter("ForgetAt"),
                                        List.of(Rows.value(until)),
                                        rows)),
                                row -> row.getString(0))),
                (write, until, keys) -> {
                    List<LedgerRow> old = LedgerRow.last(write.context(), tables, keys).values().stream()
                            .filter(row ->
                                    row.forgetAt() != null && !row.forgetAt().isAfter(until))
                            .toList();
                    old.forEach(row -> write.write(
                            Mutation.delete(tables.ledger(), KeySet.prefixRange(LedgerRow.prefix(row.key())))));
                    return old.size();
                },
                record);
    }

    private int removeAudit(Duration age, int limit) {
        OutboxSchema tables = database.tables();
        Instant until = now(age);
        String query = "SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT %d"
                .formatted(
                        tables.quoted(List.of("EntryId", "At", "Id")),
                        tables.using(tables.audit(), tables.auditByTime()),
                        notAfter("At"),
                        tables.quoted("At"),
                        Math.min(limit, ROWS));
        return database.write("removing old rows of the audit", write -> {
            List<Struct> old =
                    Rows.all(write.context().executeQuery(Rows.bound(query, List.of(Rows.value(until)))), row -> row);
            old.forEach(row -> write.write(
                    Mutation.delete(tables.audit(), Key.of(row.getLong(0), row.getTimestamp(1), row.getString(2)))));
            return old.size();
        });
    }

    private String notAfter(String column) {
        OutboxSchema tables = database.tables();
        return tables.quoted(column) + " <= " + tables.parameter(1);
    }

    private Instant now(Duration age) {
        return database.read("reading the time", SpannerOutboxDatabase::now).minus(age);
    }

    private <K> int remove(
            int limit, Instant until, Search<K> search, Removal<K> removal, ObjIntConsumer<OutboxWrite> record) {
        int removed = 0;
        while (removed < limit) {
            int rows = Math.min(ROWS, limit - removed);
            List<K> found = search.find(until, rows);
            int deleted = found.isEmpty()
                    ? 0
                    : database.write("removing old rows", write -> {
                        int count = removal.remove(write, until, found);
                        if (count > 0) {
                            record.accept(write, count);
                        }
                        return count;
                    });
            removed += deleted;
            if (deleted < rows) {
                break;
            }
        }
        return removed;
    }

    private interface Search<K> {
        List<K> find(Instant until, int rows);
    }

    private interface Removal<K> {
        int remove(OutboxWrite write, Instant until, List<K> keys);
    }
}
