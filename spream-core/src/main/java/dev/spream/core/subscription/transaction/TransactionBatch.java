package dev.spream.core.subscription.transaction;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.Transaction;
import dev.spream.core.record.DataChangeRecord;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A transaction as a batch, which is settled or fails as a whole. */
public final class TransactionBatch implements BatchConsumer.Batch {
    private final Transaction transaction;
    private @Nullable Throwable failure;

    public TransactionBatch(Transaction transaction) {
        this.transaction = transaction;
    }

    @Override
    public List<DataChangeRecord> changes() {
        return transaction.changes();
    }

    @Override
    public Delivery delivery(int index) {
        return transaction.delivery(index);
    }

    @Override
    public boolean isTransaction() {
        return true;
    }

    /** Ignored: the changes are settled together, when the call returns and none has failed. */
    @Override
    public void settle(int index) {
        Objects.checkIndex(index, changes().size());
    }

    @Override
    public void fail(int index, Throwable cause) {
        Objects.checkIndex(index, changes().size());
        failure = failure == null ? requireNonNull(cause, "cause") : failure;
    }

    /** Throws the first failure, if there is one. */
    public void rethrowFailure() throws Exception {
        switch (failure) {
            case null -> {}
            case Exception exception -> throw exception;
            case Error error -> throw error;
            case Throwable other -> throw new IllegalStateException(other);
        }
    }
}
