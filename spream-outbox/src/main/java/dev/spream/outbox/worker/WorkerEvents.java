package dev.spream.outbox.worker;

import dev.spream.core.internal.SafeListeners;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.function.Consumer;

/** The log labels and listeners of a worker. Safe for use by many threads. */
record WorkerEvents(OutboxOwner owner, SettlementLog settlements, SafeListeners<OutboxListener> listeners) {

    void publish(Consumer<OutboxListener> event) {
        listeners.publish(event);
    }

    void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {
        settlements.settled(claim, settlement, sinceClaim.toMillis());
        publish(listener -> listener.settled(claim, settlement, sinceClaim));
    }

    /** Returns the worker's name, the prefix of its log lines. */
    String name() {
        return owner.name();
    }

    /** Returns the prefix of log lines about a claim. */
    String label(OutboxClaim claim) {
        return EntryLabel.of(owner, claim);
    }
}
