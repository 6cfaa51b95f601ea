package dev.spream.storage.spanner.outbox;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Renews and ends claims, and ends entries that have expired. */
record ClaimEnds(SpannerOutboxDatabase database) {

    Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease) {
        if (claims.isEmpty()) {
            return Set.of();
        }
        return database.write("renewing claims", write -> {
            write.loadEntries(claims.stream().map(OutboxClaim.Ref::id).toList());
            Set<OutboxClaim.Ref> lost = new LinkedHashSet<>();
            for (OutboxClaim.Ref claim : claims) {
                write.entry(claim.id())
                        .filter(entry -> entry.isHeld(owner, claim))
                        .ifPresentOrElse(entry -> entry.renew(write.now(), lease), () -> lost.add(claim));
            }
            return lost;
        });
    }

    Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
        if (settlements.isEmpty()) {
            return Set.of();
        }
        return database.write("settling entries", write -> {
            write.load(settlements.stream()
                    .map(settlement -> settlement.ref().id())
                    .toList());
            Set<OutboxClaim.Ref> lost = new LinkedHashSet<>();
            for (Settlement settlement : settlements) {
                OutboxClaim.Ref claim = settlement.ref();
                Optional<EntryRow> entry = write.entry(claim.id()).filter(found -> found.isLastClaim(owner, claim));
                entry.filter(found -> found.isHeld(owner, claim)).ifPresent(found -> settle(write, found, settlement));
                if (entry.isEmpty()) {
                    lost.add(claim);
                }
            }
            return lost;
        });
    }

    private static void settle(OutboxWrite write, EntryRow entry, Settlement settlement) {
        switch (settlement) {
            case Settlement.Succeeded succeeded -> write.finish(entry, succeeded.result(), "");
            case Settlement.Aborted aborted -> write.finish(entry, aborted.result(), aborted.message());
            case Settlement.Released released -> entry.release(write.now());
            case Settlement.Failed failed -> {
                if (!write.takesOver(entry)) {
                    entry.fail(failed, write.now());
                }
            }
            case Settlement.Parked parked -> {
                if (!write.takesOver(entry)) {
                    entry.park(parked.reason(), parked.message(), parked.outcomeUnknown(), write.now());
                }
            }
        }
    }

    int expire(int limit) {
        List<Long> expired = database.ids(
                database.tables().byExpiry(),
                "ExpiryShard",
                "ExpiryAt",
                database.tables().quoted("ExpiryAt") + " <= CURRENT_TIMESTAMP",
                List.of(),
                limit);
        return expired.isEmpty() ? 0 : database.write("expiring entries", write -> expire(write, expired));
    }

    private static int expire(OutboxWrite write, List<Long> ids) {
        write.load(ids);
        List<EntryRow> expired = write.entries().stream()
                .filter(entry -> entry.isWaiting() && !entry.isParked() && entry.hasExpired(write.now()))
                .toList();
        for (EntryRow entry : expired) {
            if (!entry.outcomeUnknown()) {
                write.finish(entry, LedgerResult.failed(ReasonCode.EXPIRED), "expired before it was sent");
            } else if (!write.takesOver(entry)) {
                entry.park(ReasonCode.EXPIRED, "expired, and may have reached the receiver", true, write.now());
            }
        }
        return expired.size();
    }
}
