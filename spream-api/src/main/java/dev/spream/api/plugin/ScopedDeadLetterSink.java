package dev.spream.api.plugin;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.PartitionLease;
import java.util.Set;

/** A plug-in's dead letter sink, called in its scope. */
@SuppressWarnings("try") // what close throws is for the target to say
class ScopedDeadLetterSink implements DeadLetterSink, AutoCloseable {
    final CallScope scope;
    private final DeadLetterSink target;

    ScopedDeadLetterSink(DeadLetterSink target, CallScope scope) {
        this.target = target;
        this.scope = scope;
    }

    @Override
    public void accept(DeadLetter letter) throws Exception {
        scope.run(() -> target.accept(letter));
    }

    @Override
    public boolean acceptIfParked(DeadLetter letter) throws Exception {
        return scope.call(() -> target.acceptIfParked(letter));
    }

    @Override
    public Set<RecordKey> parkedKeys() throws Exception {
        return scope.call(target::parkedKeys);
    }

    @Override
    public Set<RecordKey> parkedKeys(PartitionLease acquired) throws Exception {
        return scope.call(() -> target.parkedKeys(acquired));
    }

    /** Closes the sink, if it can be closed. */
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
