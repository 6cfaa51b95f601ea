package dev.spream.core.consume;

import dev.spream.core.record.DataChangeRecord;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** A transaction of which one change is known. */
record SingleChangeTransaction(DataChangeRecord change, Delivery delivery) implements Transaction {

    @Override
    public String serverTransactionId() {
        return change.serverTransactionId();
    }

    @Override
    public Instant commitTimestamp() {
        return change.commitTimestamp();
    }

    @Override
    public String transactionTag() {
        return change.transactionTag();
    }

    @Override
    public boolean isSystemTransaction() {
        return change.isSystemTransaction();
    }

    @Override
    public boolean isComplete() {
        return change.numberOfRecordsInTransaction() == 1;
    }

    @Override
    public List<DataChangeRecord> changes() {
        return List.of(change);
    }

    @Override
    public Delivery delivery(int index) {
        Objects.checkIndex(index, 1);
        return delivery;
    }
}
