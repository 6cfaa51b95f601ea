package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The store bound to one worker: its owner and its lease. Each call throws a {@link StorageException} if it fails,
 * after {@link StoreHealth} has reported that. Safe for use by many threads.
 */
record WorkerStore(OutboxStore store, OutboxOwner owner, Duration lease, MonotonicTime time, StoreHealth calls) {
    private static final int EXPIRE_AT_ONCE = 500;

    LocalLease requestLease() {
        return LocalLease.requested(time, lease);
    }

    ClaimResult claim(String destination, int limit) {
        return calls.call("claiming entries", () -> store.claim(owner, destination, limit, lease));
    }

    Optional<Duration> nextDue(String destination) {
        return calls.call("looking for the next entry", () -> store.nextDue(destination));
    }

    Set<String> destinations() {
        return calls.call("reading destinations", store::destinations);
    }

    ClaimResult claimOrdered(Collection<OutboxSegmentLease> segments, Collection<Long> ids) {
        return calls.call("claiming ordered entries", () -> store.claimOrdered(owner, segments, ids, lease));
    }

    Set<OutboxClaim.Ref> renew(Collection<OutboxClaim.Ref> claims) {
        return calls.call("renewing leases", () -> store.renew(owner, claims, lease));
    }

    Set<OutboxClaim.Ref> settle(List<Settlement> settlements) {
        return calls.call("settling entries", () -> Set.copyOf(store.settle(owner, settlements)));
    }

    /** Ends entries that have expired, the earliest first; returns whether there may be more. */
    boolean expire() {
        int expired = calls.call("aborting expired entries", () -> store.expire(EXPIRE_AT_ONCE));
        if (expired > 0) {
            calls.publish(listener -> listener.expired(expired));
        }
        return expired >= EXPIRE_AT_ONCE;
    }

    int removeOld(OutboxHistory part, Duration age, int limit) {
        return calls.call("removing old " + part.text(), () -> store.removeOld(part, age, limit));
    }

    OutboxSegmentShare holdSegments(Set<Integer> giveUp) {
        return calls.call("renewing and claiming segments", () -> store.holdSegments(owner, giveUp, lease));
    }

    /** Releases all segments; returns false if the call failed. */
    boolean releaseSegments() {
        try {
            return calls.call("releasing segments", () -> {
                store.releaseSegments(owner);
                return true;
            });
        } catch (StorageException e) {
            return false;
        }
    }

    boolean hasOrdered() {
        return calls.call("looking for ordered entries", store::hasOrdered);
    }

    List<OrderedEntry> ordered(String destination, Map<Integer, Long> after, int perSegment) {
        return calls.call("reading ordered entries", () -> store.ordered(destination, after, perSegment));
    }

    List<OrderedEntry> ordered(String destination, String orderingKey, int limit) {
        return calls.call("reading an ordering key", () -> store.ordered(destination, orderingKey, limit));
    }

    OutboxStore.Watch watch(OutboxStore.Watcher watcher) {
        return calls.call("watching for entries", () -> store.watch(watcher));
    }
}
