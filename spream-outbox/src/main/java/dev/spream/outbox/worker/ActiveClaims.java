package dev.spream.outbox.worker;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.outbox.OutboxClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All claims of a worker, from the claim until the store has confirmed the settlement. Renews their leases, and
 * abandons claims that could not be renewed before their leases can have expired, by the worker's own clock. Safe for
 * use by many threads.
 *
 * <p>A {@link LocalLease} begins before the request to the store is sent, so that it never ends after the stored lease.
 */
final class ActiveClaims {
    private static final Logger log = LoggerFactory.getLogger(ActiveClaims.class);

    private final WorkerStore store;
    private final OutboxWorkerOptions options;
    private final Map<String, CircuitBreakerEvents> breakers;
    private final WorkerEvents events;
    private final MonotonicTime time;
    private final Map<OutboxClaim.Ref, ActiveClaim> held = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> sizes = new ConcurrentHashMap<>();

    /** @param breakers by destination: notified of claims that are lost or whose call does not return */
    ActiveClaims(
            WorkerStore store,
            OutboxWorkerOptions options,
            Map<String, CircuitBreakerEvents> breakers,
            WorkerEvents events,
            MonotonicTime time) {
        this.store = store;
        this.options = options;
        this.breakers = breakers;
        this.events = events;
        this.time = time;
    }

    void add(ActiveClaim claim) {
        held.put(claim.ref(), claim);
        size(claim.destination()).incrementAndGet();
    }

    void remove(ActiveClaim claim) {
        if (held.remove(claim.ref(), claim)) {
            size(claim.destination()).decrementAndGet();
        }
    }

    /** Returns the number of claims of a destination. */
    int of(String destination) {
        return size(destination).get();
    }

    private AtomicInteger size(String destination) {
        return sizes.computeIfAbsent(destination, any -> new AtomicInteger());
    }

    /** Renews the leases of which at least an eighth has elapsed; newer ones are renewed at the next heartbeat. */
    void renew() {
        long quarter = options.lease().toNanos() / 4;
        long left = store.requestLease().left() - quarter / 2;
        List<OutboxClaim.Ref> due = new ArrayList<>();
        for (ActiveClaim claim : held.values()) {
            if (claim.needsRenewal(left)) {
                due.add(claim.ref());
            }
        }
        if (!due.isEmpty()) {
            renew(due);
        }
    }

    private void renew(List<OutboxClaim.Ref> due) {
        LocalLease lease = store.requestLease();
        Set<OutboxClaim.Ref> lost;
        try {
            lost = store.renew(due);
        } catch (StorageException e) {
            return; // already reported; the leases are renewed at the next heartbeat
        }
        for (OutboxClaim.Ref ref : due) {
            ActiveClaim claim = held.get(ref);
            if (claim == null) {
                continue; // settled in the meantime
            }
            if (!lost.contains(ref)) {
                claim.renewed(lease);
            } else if (claim.revoke()) {
                reportLost(claim, "the store has released it or given it to another worker");
            }
        }
    }

    /**
     * Interrupts calls that exceed their timeout, and abandons claims whose leases were not renewed.
     * @return the time until the next check is needed, in nanoseconds
     */
    long check() {
        long now = time.nanoTime();
        long next = Long.MAX_VALUE;
        for (ActiveClaim claim : held.values()) {
            if (claim.revokeIfExpired()) {
                reportLost(claim, "it was not renewed in time");
            } else if (claim.interruptIfOverdue(now)) {
                warnStuck(claim, now);
                overdue(claim);
            }
            next = Math.min(next, claim.nextCheck(now));
        }
        return next;
    }

    void interruptCalls() {
        held.values().forEach(ActiveClaim::interruptCall);
    }

    /** Abandons all claims that are not being settled. */
    void revokeAll() {
        for (ActiveClaim claim : held.values()) {
            if (claim.revoke()) {
                reportLost(claim, "the worker has stopped");
            }
        }
    }

    /** Removes a lost claim and reports it. Its outcome is dropped. */
    void reportLost(ActiveClaim claim, String why) {
        remove(claim);
        overdue(claim);
        log.warn(
                "{} lost its lease: {}; its outcome is dropped, and the entry will be claimed again",
                events.label(claim.claim()),
                why);
        events.publish(listener -> listener.leaseLost(claim.claim()));
    }

    private void overdue(ActiveClaim claim) {
        requireNonNull(breakers.get(claim.destination())).overdue(claim);
    }

    private void warnStuck(ActiveClaim claim, long now) {
        log.warn(
                "{} has exceeded its send timeout by {} ms and ignores its interrupt; it keeps its slot and its lease",
                events.label(claim.claim()),
                claim.overdue(now) / 1_000_000);
    }
}
