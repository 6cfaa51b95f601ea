package dev.spream.storage.jdbc.ledger;

import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.time.Instant;
import java.util.Optional;

/**
 * A change that wants to take effect.
 *
 * @param isReplay whether it was set aside before, so that times say nothing about whether it took effect
 * @param lowWatermark everything before it is settled
 */
record Offer(RecordIdentity identity, boolean isReplay, Optional<Instant> lowWatermark) {
    long commitNanos() {
        return LedgerTime.nanos(identity.commitTimestamp());
    }

    static Offer of(DataChangeRecord change, Delivery delivery) {
        return new Offer(change.identity(), delivery.isReplay(), delivery.lowWatermark());
    }
}
