package dev.spream.api.plugin;

import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.ManualAct;
import dev.spream.outbox.ManualResult;
import dev.spream.outbox.OutboxFilter;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStats;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What operates a plug-in's outbox, called in its scope. */
record ScopedOutboxOperations(OutboxOperations target, CallScope scope) implements OutboxOperations {
    @Override
    public OutboxStats stats() {
        return scope.call(target::stats);
    }

    @Override
    public OutboxStats exactStats() {
        return scope.call(target::exactStats);
    }

    @Override
    public List<OutboxRow> list(OutboxFilter filter) {
        return scope.call(() -> target.list(filter));
    }

    @Override
    public Optional<OutboxRow> find(long id) {
        return scope.call(() -> target.find(id));
    }

    @Override
    public Optional<OutboxRow> find(String idempotencyKey) {
        return scope.call(() -> target.find(idempotencyKey));
    }

    @Override
    public Optional<String> payload(long id) {
        return scope.call(() -> target.payload(id));
    }

    @Override
    public List<AuditEntry> audit(long id) {
        return scope.call(() -> target.audit(id));
    }

    @Override
    public ManualResult requeue(long id, ManualAct act) {
        return scope.call(() -> target.requeue(id, act));
    }

    @Override
    public ManualResult settle(long id, LedgerResult result, ManualAct act) {
        return scope.call(() -> target.settle(id, result, act));
    }

    @Override
    public ManualResult abort(long id, ManualAct act) {
        return scope.call(() -> target.abort(id, act));
    }

    @Override
    public int releaseExpired(ManualAct act) {
        return scope.call(() -> target.releaseExpired(act));
    }

    @Override
    public int purge(Duration settledFor, int limit, ManualAct act) {
        return scope.call(() -> target.purge(settledFor, limit, act));
    }

    @Override
    public int pruneLedger(Duration settledFor, int limit, ManualAct act) {
        return scope.call(() -> target.pruneLedger(settledFor, limit, act));
    }

    @Override
    public void close() {
        scope.run(target::close);
    }

    @Override
    public String toString() {
        return target.toString();
    }
}
