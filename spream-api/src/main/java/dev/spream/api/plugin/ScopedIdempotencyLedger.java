package dev.spream.api.plugin;

import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerClaim;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import java.time.Duration;
import java.util.Optional;

/** A plug-in's ledger, called in its scope. */
record ScopedIdempotencyLedger<T>(IdempotencyLedger<T> target, CallScope scope) implements IdempotencyLedger<T> {
    @Override
    public Class<T> transactionType() {
        return scope.call(target::transactionType);
    }

    @Override
    public LedgerClaim claim(T transaction, String idempotencyKey, String requestDigest) {
        return scope.call(() -> target.claim(transaction, idempotencyKey, requestDigest));
    }

    @Override
    public boolean settle(
            T transaction, String idempotencyKey, int generation, String requestDigest, LedgerResult result) {
        return scope.call(() -> target.settle(transaction, idempotencyKey, generation, requestDigest, result));
    }

    @Override
    public Optional<Integer> reopen(T transaction, String idempotencyKey) {
        return scope.call(() -> target.reopen(transaction, idempotencyKey));
    }

    @Override
    public Optional<LedgerEntry> find(String idempotencyKey) {
        return scope.call(() -> target.find(idempotencyKey));
    }

    @Override
    public int prune(Duration settledFor, int limit) {
        return scope.call(() -> target.prune(settledFor, limit));
    }

    @Override
    public String toString() {
        return target.toString();
    }
}
