package dev.spream.outbox.worker;

import dev.spream.core.internal.LocalLease;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import java.time.Duration;
import java.util.List;

/** Slots of a worker that are promised to entries claimed as they are enqueued. */
final class ReservedRoom implements ClaimRoom {
    private final WorkerStore store;
    private final EntryLifecycle entries;
    private final long askedAt;
    private final LocalLease lease;
    private int slots;
    private List<OutboxClaim> claims = List.of();

    ReservedRoom(WorkerStore store, EntryLifecycle entries, int slots) {
        this.store = store;
        this.entries = entries;
        this.slots = slots;
        this.askedAt = store.time().nanoTime();
        this.lease = store.requestLease();
    }

    @Override
    public OutboxOwner owner() {
        return store.owner();
    }

    @Override
    public Duration lease() {
        return store.lease();
    }

    @Override
    public int size() {
        return slots;
    }

    @Override
    public void hold(List<OutboxClaim> claimed) {
        claims = List.copyOf(claimed);
        entries.withdraw(slots - claims.size());
        slots = claims.size();
    }

    @Override
    public boolean start() {
        if (lease.left() < store.lease().toNanos() / 2) {
            close();
            return false;
        }
        List<OutboxClaim> started = claims;
        slots = 0;
        claims = List.of();
        return entries.enqueued(started, askedAt, lease);
    }

    @Override
    public void close() {
        entries.withdraw(slots);
        slots = 0;
    }
}
