package dev.spream.api.plugin;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.util.List;

/** A plug-in's consumer of batches, called in its scope. */
@SuppressWarnings("try") // what close throws is for the target to say
final class ScopedBatchConsumer extends ScopedConsumer implements BatchConsumer {
    private final BatchConsumer target;

    ScopedBatchConsumer(BatchConsumer target, CallScope scope) {
        super(target, scope);
        this.target = target;
    }

    @Override
    public void consume(Batch batch) throws Exception {
        Batch ofHost = new HostBatch(batch, CallScope.ofThisThread());
        scope.run(() -> target.consume(ofHost));
    }

    /** The way back: settling a change is the engine's work, which may start threads, and they inherit the class loader. */
    static final class HostBatch implements Batch {
        private final Batch target;
        private final CallScope scope;

        HostBatch(Batch target, CallScope scope) {
            this.target = target;
            this.scope = scope;
        }

        @Override
        public List<DataChangeRecord> changes() {
            return scope.call(target::changes);
        }

        @Override
        public Delivery delivery(int index) {
            return scope.call(() -> target.delivery(index));
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
