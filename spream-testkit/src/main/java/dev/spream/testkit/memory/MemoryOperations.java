package dev.spream.testkit.memory;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

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
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** The operator's view of an {@link InMemoryOutbox}. */
final class MemoryOperations implements OutboxOperations {
    private final OutboxMemory memory;

    MemoryOperations(OutboxMemory memory) {
        this.memory = memory;
    }

    @Override
    public OutboxStats stats() {
        return memory.locked(() -> {
            Instant now = memory.now();
            List<StoredEntry> due = unsettled(entry -> entry.isDue(now) && !memory.entries.waitsForAnother(entry, now));
            return new OutboxStats(
                    now,
                    memory.entries.all().stream().collect(groupingBy(StoredEntry::status, counting())),
                    due.size(),
                    due.stream().map(StoredEntry::dueAt).min(Comparator.naturalOrder()),
                    unsettled(entry -> entry.hasLapsed(now)).size(),
                    unsettled(StoredEntry::isParked).size(),
                    unsettled(entry -> entry.isParked() && entry.outcomeUnknown())
                            .size(),
                    Set.of(),
                    Set.of());
        });
    }

    @Override
    public OutboxStats exactStats() {
        return stats();
    }

    private List<StoredEntry> unsettled(Predicate<StoredEntry> which) {
        return memory.entries.unsettled().stream().filter(which).toList();
    }

    @Override
    public List<OutboxRow> list(OutboxFilter filter) {
        return memory.locked(() -> memory.entries.all().stream()
                .filter(entry -> matches(filter, entry))
                .limit(filter.limit())
                .map(this::row)
                .toList());
    }

    private static boolean matches(OutboxFilter filter, StoredEntry entry) {
        return entry.id() > filter.afterId()
                && (filter.statuses().isEmpty() || filter.statuses().contains(entry.status()))
                && (!filter.parkedOnly() || entry.isParked())
                && (filter.destination().isEmpty() || filter.destination().equals(entry.destination()))
                && (filter.orderingKey().isEmpty() || filter.orderingKey().equals(entry.orderingKey()))
                && (filter.reason().isEmpty() || filter.reason().equals(entry.lastError()));
    }

    private OutboxRow row(StoredEntry entry) {
        return entry.row(memory.ledger.last(entry.key()));
    }

    @Override
    public Optional<OutboxRow> find(long id) {
        return memory.locked(() -> memory.entries.find(id).map(this::row));
    }

    @Override
    public Optional<OutboxRow> find(String idempotencyKey) {
        return memory.locked(() -> memory.entries.find(idempotencyKey).map(this::row));
    }

    @Override
    public Optional<String> payload(long id) {
        return memory.locked(() -> memory.entries.find(id).map(StoredEntry::payload));
    }

    @Override
    public List<AuditEntry> audit(long id) {
        return memory.locked(
                () -> memory.audit.stream().filter(act -> act.entryId() == id).toList());
    }

    @Override
    public OperatorResult requeue(long id, OperatorAction act) {
        return change("requeue", id, act, (entry, now) -> {
            if (entry.status() == OutboxStatus.SUCCEEDED) {
                return Made.refused("it succeeded");
            }
            if (entry.hasExpired(now)) {
                return Made.refused("it has expired");
            }
            if (entry.isDue(now)) {
                return Made.refused("it is already due");
            }
            boolean again = entry.status() == OutboxStatus.ABORTED;
            Optional<Integer> generation =
                    again ? memory.ledger.reopen(entry.key(), now) : Optional.of(entry.generation());
            generation.ifPresent(next -> memory.entries.edit(entry, () -> entry.requeue(next, now)));
            return generation.isPresent() ? Made.DONE : Made.refused("the ledger has no failed request for it");
        });
    }

    @Override
    public OperatorResult settle(long id, LedgerResult result, OperatorAction act) {
        return change("settle", id, act, (entry, now) -> finish(entry, result, "settled by an operator"));
    }

    @Override
    public OperatorResult abort(long id, OperatorAction act) {
        LedgerResult result = LedgerResult.failed(ReasonCode.ABORTED_BY_HAND);
        return change("abort", id, act, (entry, now) -> finish(entry, result, "aborted by an operator"));
    }

    private Made finish(StoredEntry entry, LedgerResult result, String message) {
        if (entry.status().isSettled()) {
            return Made.refused("it is already settled: " + entry.status().text());
        }
        OutboxMemory.Verdict verdict = memory.verdict(entry);
        if (verdict == OutboxMemory.Verdict.CONFLICT) {
            return Made.refused("its key belongs to another request in the ledger");
        }
        memory.finish(entry, result, message);
        entry.revokeClaim();
        return verdict == OutboxMemory.Verdict.OPEN ? Made.DONE : new Made(true, ", as the ledger said already");
    }

    /** The result of a change: made, with a note for the audit, or refused, with the reason. */
    private record Made(boolean done, String note) {
        static final Made DONE = new Made(true, "");

        static Made refused(String why) {
            return new Made(false, why);
        }
    }

    /**
     * Changes an entry and records the change in the audit.
     *
     * @param change makes the change, or returns the reason for refusing it
     */
    private OperatorResult change(
            String action, long id, OperatorAction act, BiFunction<StoredEntry, Instant, Made> change) {
        return memory.locked(() -> {
            memory.ledger.awaitNoWriter(
                    () -> memory.entries.find(id).map(StoredEntry::key).stream().toList());
            return memory.entries
                    .find(id)
                    .map(entry -> change(action, entry, act, change))
                    .orElseGet(OperatorResult.NotFound::new);
        });
    }

    private OperatorResult change(
            String action, StoredEntry entry, OperatorAction act, BiFunction<StoredEntry, Instant, Made> change) {
        Instant now = memory.now();
        OutboxStatus before = entry.status();
        Made made = entry.isLeased(now) ? Made.refused("a worker is sending it") : change.apply(entry, now);
        if (!made.done()) {
            return new OperatorResult.Refused(row(entry), made.note());
        }
        record(action, entry, before, made.note(), act);
        return new OperatorResult.Done(row(entry));
    }

    private void record(String action, StoredEntry entry, OutboxStatus before, String note, OperatorAction act) {
        record(
                action,
                entry.id(),
                entry.key(),
                act,
                "%s -> %s, generation %d%s"
                        .formatted(before.text(), entry.status().text(), entry.generation(), note));
    }

    /** Records an action on many entries in the audit. */
    private void recordSome(String action, int count, String outcome, OperatorAction act) {
        if (count > 0) {
            record(action, 0, "", act, "%d %s".formatted(count, outcome));
        }
    }

    private void record(String action, long id, String key, OperatorAction act, String outcome) {
        memory.audit.add(new AuditEntry(memory.now(), act.actor(), action, id, key, outcome, act.reason()));
    }

    @Override
    public int releaseExpired(OperatorAction act) {
        return memory.locked(() -> {
            List<StoredEntry> lapsed = unsettled(entry -> entry.hasLapsed(memory.now()));
            for (StoredEntry entry : lapsed) {
                memory.entries.edit(entry, () -> entry.takeBack(memory.now()));
                record("release-expired", entry, OutboxStatus.SENDING, "", act);
            }
            return lapsed.size();
        });
    }

    @Override
    public int purge(Duration settledFor, int limit, OperatorAction act) {
        return memory.locked(() -> {
            int removed = memory.removeSettled(settledFor, limit);
            recordSome("purge", removed, "removed", act);
            return removed;
        });
    }

    @Override
    public int pruneLedger(Duration settledFor, int limit, OperatorAction act) {
        return memory.locked(() -> {
            int forgotten = MemoryLedger.prune(memory, settledFor, limit);
            recordSome("prune-ledger", forgotten, "forgotten", act);
            return forgotten;
        });
    }

    @Override
    public void close() {}
}
