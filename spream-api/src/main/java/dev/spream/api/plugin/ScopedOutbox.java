package dev.spream.api.plugin;

import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxMessage;
import java.util.List;

/** A plug-in's outbox, called in its scope. */
record ScopedOutbox<T>(Outbox<T> target, CallScope scope) implements Outbox<T> {
    @Override
    public Class<T> transactionType() {
        return scope.call(target::transactionType);
    }

    @Override
    public EnqueueResult enqueue(T transaction, OutboxMessage message) {
        return scope.call(() -> target.enqueue(transaction, message));
    }

    @Override
    public List<EnqueueResult> enqueueAll(T transaction, List<OutboxMessage> messages) {
        return scope.call(() -> target.enqueueAll(transaction, messages));
    }

    @Override
    public void signal() {
        scope.run(target::signal);
    }

    @Override
    public String toString() {
        return target.toString();
    }
}
