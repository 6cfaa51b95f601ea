package dev.spream.core.outbox;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Passes every call on, through {@link #call}, where a test may have it fail. */
abstract class InterceptedOutboxStore implements OutboxStore {
    private final OutboxStore store;

    InterceptedOutboxStore(OutboxStore store) {
        this.store = store;
    }

    abstract <T> T call(String operation, Supplier<T> call);

    @Override
    public ClaimResult claim(OutboxOwner owner, int limit, Duration lease) {
        return call("claim", () -> store.claim(owner, limit, lease));
    }

    @Override
    public Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease) {
        return call("renew", () -> store.renew(owner, claims, lease));
    }

    @Override
    public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
        return call("settle", () -> store.settle(owner, settlements));
    }

    @Override
    public int expire(int limit) {
        return call("expire", () -> store.expire(limit));
    }

    @Override
    public LaneShare holdLanes(OutboxOwner owner, Set<Integer> giveUp, Duration lease) {
        return call("holdLanes", () -> store.holdLanes(owner, giveUp, lease));
    }

    @Override
    public void leaveLanes(OutboxOwner owner) {
        boolean left = call("leaveLanes", () -> {
            store.leaveLanes(owner);
            return true;
        });
        assert left;
    }

    @Override
    public List<OrderedEntry> ordered(Map<Integer, Long> after, int perLane) {
        return call("ordered", () -> store.ordered(after, perLane));
    }

    @Override
    public List<OrderedEntry> ordered(String orderingKey, int limit) {
        return call("orderedOfKey", () -> store.ordered(orderingKey, limit));
    }

    @Override
    public ClaimResult claimOrdered(
            OutboxOwner owner, Collection<LaneLease> lanes, Collection<Long> ids, Duration lease) {
        return call("claimOrdered", () -> store.claimOrdered(owner, lanes, ids, lease));
    }

    @Override
    public Watch watch(Runnable wake) {
        return call("watch", () -> store.watch(wake));
    }

    @Override
    public void close() {
        store.close();
    }
}
