package dev.spream.storage.jdbc.ledger;

import dev.spream.core.record.RecordIdentity;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What came of a claim.
 *
 * @param fresh those whose rows were written
 * @param exists whether the ledger has a row of its own
 * @param coversFrom where the ledger begins; null as long as nothing but replays has come
 * @param settledBelow everything before it is settled; null as long as the ledger has not begun
 */
record Claims(
        Set<RecordIdentity> fresh,
        boolean exists,
        @Nullable Instant coversFrom,
        @Nullable Instant settledBelow) {

    /** What came of this claim and of a later one in the same transaction. */
    Claims and(Claims later) {
        Set<RecordIdentity> all = new HashSet<>(fresh);
        all.addAll(later.fresh);
        return new Claims(all, later.exists, later.coversFrom, later.settledBelow);
    }

    /** How many of the changes were taken as settled for no other reason than their time. */
    int skipped(List<Offer> offers) {
        Instant below = settledBelow;
        return below == null
                ? 0
                : Math.toIntExact(offers.stream()
                        .filter(offer -> !offer.isReplay()
                                && offer.identity().commitTimestamp().isBefore(below))
                        .count());
    }
}
