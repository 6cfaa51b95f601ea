package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.DataChangeRecord;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A batch of one. */
final class SingleChange implements BatchConsumer.Batch {
    private final DataChangeRecord change;
    private final Delivery delivery;
    private boolean settled;
    private @Nullable Throwable failure;

    SingleChange(DataChangeRecord change, Delivery delivery) {
        this.change = change;
        this.delivery = delivery;
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

    @Override
    public void settle(int index) {
        Objects.checkIndex(index, 1);
        settled = true;
        failure = null;
    }

    @Override
    public void fail(int index, Throwable cause) {
        Objects.checkIndex(index, 1);
        if (settled) {
            throw new IllegalStateException("the change is settled; it cannot fail any more");
        }
        failure = requireNonNull(cause, "cause");
    }

    /** Ignores an exception of the call if the change was settled before. */
    void failUnlessSettled(Throwable thrown) {
        if (!settled) {
            failure = thrown;
        }
    }

    void rethrowFailure() throws Exception {
        switch (failure) {
            case null -> {}
            case Exception exception -> throw exception;
            case Error error -> throw error;
            case Throwable other -> throw new IllegalStateException(other);
        }
    }
}
