package dev.spream.api.plugin;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;

/** A plug-in's consumer, called in its scope. */
@SuppressWarnings("try") // what close throws is for the target to say
class ScopedConsumer implements Consumer, AutoCloseable {
    final CallScope scope;
    private final Consumer target;

    ScopedConsumer(Consumer target, CallScope scope) {
        this.target = target;
        this.scope = scope;
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        scope.run(() -> target.consume(change, delivery));
    }

    @Override
    public void flush() throws Exception {
        scope.run(target::flush);
    }

    /** Closes the consumer, if it can be closed. */
    @Override
    public void close() throws Exception {
        if (target instanceof AutoCloseable closeable) {
            scope.run(closeable::close);
        }
    }

    @Override
    public final String toString() {
        return target.toString();
    }
}
