package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.TransactionContext;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.ReasonCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One attempt of a transaction of a worker or an operator: the entries that it reads with their requests in the ledger,
 * and the mutations that it writes at its end. Confined to the thread of the attempt.
 */
final class OutboxWrite {
    private final TransactionContext context;
    private final OutboxSchema tables;
    private final Instant now;
    private final Map<Long, EntryRow> entries = new LinkedHashMap<>();
    private final Map<Key, LedgerRow> ledger = new HashMap<>();
    private final Map<Key, LedgerRow> changedLedger = new LinkedHashMap<>();
    private final List<Mutation> others = new ArrayList<>();

    /** The result of looking up an entry in the ledger. */
    enum Verdict {
        OPEN,
        SETTLED,
        CONFLICT
    }

    OutboxWrite(TransactionContext context, OutboxSchema tables) {
        this.context = context;
        this.tables = tables;
        this.now = SpannerOutboxDatabase.now(context);
    }

    TransactionContext context() {
        return context;
    }

    OutboxSchema tables() {
        return tables;
    }

    /** Returns Spanner's time, the same for the whole attempt. */
    Instant now() {
        return now;
    }

    /** Reads entries with their payloads and requests, for claims. */
    void loadWhole(Collection<Long> ids) {
        List<String> columns = new ArrayList<>(EntryColumns.NAMES);
        columns.add(EntryColumns.PAYLOAD);
        load(ids, columns);
        loadLedger();
    }

    /** Reads entries with their requests. */
    void load(Collection<Long> ids) {
        loadEntries(ids);
        loadLedger();
    }

    /** Reads entries alone. */
    void loadEntries(Collection<Long> ids) {
        load(ids, EntryColumns.NAMES);
    }

    private void load(Collection<Long> ids, List<String> columns) {
        KeySet.Builder keys = KeySet.newBuilder();
        Set.copyOf(ids).forEach(id -> keys.addKey(EntryRow.key(id)));
        if (!ids.isEmpty()) {
            Rows.all(context.read(tables.entries(), keys.build(), columns), EntryRow::new)
                    .forEach(entry -> entries.put(entry.id(), entry));
        }
    }

    private void loadLedger() {
        KeySet.Builder keys = KeySet.newBuilder();
        entries.values().forEach(entry -> keys.addKey(LedgerRow.key(entry.key(), entry.generation())));
        if (!entries.isEmpty()) {
            Rows.all(context.read(tables.ledger(), keys.build(), LedgerRow.NAMES), LedgerRow::read)
                    .forEach(row -> ledger.put(LedgerRow.key(row.key(), row.generation()), row));
        }
    }

    Optional<EntryRow> entry(long id) {
        return Optional.ofNullable(entries.get(id));
    }

    Collection<EntryRow> entries() {
        return entries.values();
    }

    private Optional<LedgerRow> request(EntryRow entry) {
        return Optional.ofNullable(ledger.get(LedgerRow.key(entry.key(), entry.generation())));
    }

    Verdict verdict(EntryRow entry) {
        return request(entry)
                .map(found -> !found.digest().equals(entry.digest())
                        ? Verdict.CONFLICT
                        : found.result().isPresent() ? Verdict.SETTLED : Verdict.OPEN)
                .orElse(Verdict.CONFLICT);
    }

    /** Returns whether the ledger has decided about the entry already, after storing that in the entry. */
    boolean takesOver(EntryRow entry) {
        switch (verdict(entry)) {
            case OPEN -> {
                return false;
            }
            case SETTLED ->
                entry.settle(request(entry).flatMap(LedgerRow::result).orElseThrow(), "as the ledger says", now);
            case CONFLICT ->
                entry.settle(
                        LedgerResult.failed(ReasonCode.IDEMPOTENCY_CONFLICT), "the ledger has another request", now);
        }
        return true;
    }

    /** Settles an entry with that result, or with the ledger's result if it has one already. */
    void finish(EntryRow entry, LedgerResult result, String message) {
        if (!takesOver(entry)) {
            write(request(entry).orElseThrow().settled(result, now));
            entry.settle(result, message, now);
        }
    }

    /** Returns the generation of a request that this attempt writes. */
    Optional<LedgerRow> written(String key) {
        return changedLedger.values().stream()
                .filter(row -> row.key().equals(key))
                .findFirst();
    }

    /** Stores a generation of a request. */
    void write(LedgerRow row) {
        Key key = LedgerRow.key(row.key(), row.generation());
        ledger.put(key, row);
        changedLedger.put(key, row);
    }

    void write(Mutation mutation) {
        others.add(mutation);
    }

    /** Reads rows of an index. */
    List<Struct> read(String table, String index, KeySet keys, List<String> columns) {
        return Rows.all(context.readUsingIndex(table, index, keys, columns), row -> row);
    }

    /** Buffers the mutations, at the end of the attempt. */
    void buffer() {
        changedLedger
                .values()
                .forEach(row -> context.buffer(
                        Rows.mutation(Mutation.newInsertOrUpdateBuilder(tables.ledger()), row.values())));
        entries.values().stream()
                .filter(EntryRow::isChanged)
                .forEach(entry ->
                        context.buffer(Rows.mutation(Mutation.newUpdateBuilder(tables.entries()), entry.changes())));
        context.buffer(others);
    }
}
