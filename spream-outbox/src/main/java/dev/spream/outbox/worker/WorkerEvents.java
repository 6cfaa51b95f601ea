package dev.spream.outbox.worker;

import dev.spream.core.internal.SafeListeners;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import java.util.function.Consumer;

/** The reporting of a worker: the worker's name in its log, and its listeners. Safe for use by many threads. */
record WorkerEvents(OutboxOwner owner, SafeListeners<OutboxListener> listeners) {

    void tell(Consumer<OutboxListener> event) {
        listeners.tell(event);
    }

    /** The worker's name, with which lines of its log begin. */
    String name() {
        return owner.name();
    }

    /** How a line about a claim begins. */
    String label(OutboxClaim claim) {
        return EntryLabel.of(owner, claim);
    }
}
