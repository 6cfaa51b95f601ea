package dev.spream.outbox.worker;

import dev.spream.core.internal.SafeListeners;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.function.Consumer;

/** The reporting of a worker: the worker's name in its log, and its listeners. Safe for use by many threads. */
record WorkerEvents(OutboxOwner owner, SettlementLog settlements, SafeListeners<OutboxListener> listeners) {

    void publish(Consumer<OutboxListener> event) {
        listeners.publish(event);
    }

    void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {
        settlements.settled(claim, settlement, sinceClaim.toMillis());
        publish(listener -> listener.settled(claim, settlement, sinceClaim));
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
