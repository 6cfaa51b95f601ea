package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.AbortedException;
import com.google.cloud.spanner.TransactionContext;
import dev.spream.core.StorageException;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerClaim;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxTransaction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The adapters with the failure that a contract repeats a transaction for, in place of that of Spanner's client. */
final class AbortedTransactions {
    private AbortedTransactions() {}

    static <T> T retryable(Supplier<T> call) {
        try {
            return call.get();
        } catch (AbortedException e) {
            throw new StorageException("the transaction was aborted", true, e);
        }
    }

    record OfOutbox(SpannerOutbox outbox) implements Outbox<TransactionContext> {
        @Override
        public Class<TransactionContext> transactionType() {
            return outbox.transactionType();
        }

        @Override
        public List<EnqueueResult> enqueueAll(TransactionContext transaction, List<OutboxMessage> messages) {
            return retryable(() -> outbox.enqueueAll(transaction, messages));
        }

        @Override
        public OutboxTransaction begin(TransactionContext transaction) {
            return outbox.begin(transaction);
        }

        @Override
        public void signal() {
            outbox.signal();
        }
    }

    record OfLedger(SpannerIdempotencyLedger ledger) implements IdempotencyLedger<TransactionContext> {
        @Override
        public Class<TransactionContext> transactionType() {
            return ledger.transactionType();
        }

        @Override
        public LedgerClaim claim(TransactionContext transaction, String idempotencyKey, String requestDigest) {
            return retryable(() -> ledger.claim(transaction, idempotencyKey, requestDigest));
        }

        @Override
        public boolean settle(
                TransactionContext transaction,
                String idempotencyKey,
                int generation,
                String requestDigest,
                LedgerResult result) {
            return retryable(() -> ledger.settle(transaction, idempotencyKey, generation, requestDigest, result));
        }

        @Override
        public Optional<Integer> reopen(TransactionContext transaction, String idempotencyKey) {
            return retryable(() -> ledger.reopen(transaction, idempotencyKey));
        }

        @Override
        public Optional<LedgerEntry> find(String idempotencyKey) {
            return ledger.find(idempotencyKey);
        }

        @Override
        public int prune(Duration settledFor, int limit) {
            return ledger.prune(settledFor, limit);
        }
    }
}
