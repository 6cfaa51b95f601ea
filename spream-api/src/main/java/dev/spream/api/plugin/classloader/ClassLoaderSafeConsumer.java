package dev.spream.api.plugin.classloader;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.Transaction;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.record.DataChangeRecord;
import java.util.List;

/** A plug-in's consumer, called in its scope. */
@SuppressWarnings("try") // the target decides which exceptions close throws
class ClassLoaderSafeConsumer implements Consumer, AutoCloseable {
    final ThreadContextClassLoader scope;
    private final Consumer target;

    private ClassLoaderSafeConsumer(Consumer target, ThreadContextClassLoader scope) {
        this.target = target;
        this.scope = scope;
    }

    /** Wraps a consumer; the result takes batches or transactions if the target does. */
    static Consumer of(Consumer target, ThreadContextClassLoader scope) {
        return switch (target) {
            case TransactionConsumer transactions -> new OfTransactions(transactions, scope);
            case BatchConsumer batches -> new OfBatches(batches, scope);
            default -> new ClassLoaderSafeConsumer(target, scope);
        };
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        scope.run(() -> target.consume(change, delivery));
    }

    @Override
    public void flush() throws Exception {
        scope.run(target::flush);
    }

    /** Closes the consumer, if it is closeable. */
    @Override
    public void close() throws Exception {
        if (target instanceof AutoCloseable closeable) {
            scope.run(closeable::close);
        }
    }

    @Override
    public String toString() {
        return target.toString();
    }

    private static final class OfTransactions extends ClassLoaderSafeConsumer implements TransactionConsumer {
        private final TransactionConsumer target;

        OfTransactions(TransactionConsumer target, ThreadContextClassLoader scope) {
            super(target, scope);
            this.target = target;
        }

        @Override
        public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
            super.consume(change, delivery);
        }

        @Override
        public void consume(Transaction transaction) throws Exception {
            scope.run(() -> target.consume(transaction));
        }
    }

    private static final class OfBatches extends ClassLoaderSafeConsumer implements BatchConsumer {
        private final BatchConsumer target;

        OfBatches(BatchConsumer target, ThreadContextClassLoader scope) {
            super(target, scope);
            this.target = target;
        }

        @Override
        public void consume(Batch batch) throws Exception {
            Batch ofHost = new HostBatch(batch, ThreadContextClassLoader.ofThisThread());
            scope.run(() -> target.consume(ofHost));
        }
    }

    /**
     * A batch of the host. Settling a change is engine code that may start threads, which inherit the context class
     * loader.
     */
    record HostBatch(BatchConsumer.Batch target, ThreadContextClassLoader scope) implements BatchConsumer.Batch {
        @Override
        public List<DataChangeRecord> changes() {
            return scope.call(target::changes);
        }

        @Override
        public Delivery delivery(int index) {
            return scope.call(() -> target.delivery(index));
        }

        @Override
        public boolean isTransaction() {
            return scope.call(target::isTransaction);
        }

        @Override
        public void settle(int index) {
            scope.run(() -> target.settle(index));
        }

        @Override
        public void fail(int index, Throwable cause) {
            scope.run(() -> target.fail(index, cause));
        }
    }
}
