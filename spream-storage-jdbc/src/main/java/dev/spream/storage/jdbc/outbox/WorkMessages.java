package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxTransaction;
import java.util.List;

/** The messages that {@link OutboxWork} gets; the caller of the work reports the commit. Used by one thread at a time. */
record WorkMessages(OutboxTransaction messages) implements OutboxTransaction {
    @Override
    public List<EnqueueResult> enqueueAll(List<OutboxMessage> enqueued) {
        return messages.enqueueAll(enqueued);
    }

    @Override
    public void requireCommittable() {
        messages.requireCommittable();
    }

    @Override
    public void committed() {
        throw new IllegalStateException("the work of an outbox transaction called committed() before the commit; remove"
                + " the call: the messages are sent once the work has returned and its transaction has committed");
    }

    /** Does nothing: the messages are closed after the transaction has ended. */
    @Override
    public void close() {}
}
