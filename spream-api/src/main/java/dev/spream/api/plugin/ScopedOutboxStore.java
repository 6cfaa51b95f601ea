package dev.spream.api.plugin;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.LaneLease;
import dev.spream.outbox.LaneShare;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A plug-in's outbox store, called in its scope; who is woken by it is called as the host was. */
record ScopedOutboxStore(OutboxStore target, CallScope scope) implements OutboxStore {
    @Override
    public ClaimResult claim(OutboxOwner owner, int limit, Duration lease) {
        return scope.call(() -> target.claim(owner, limit, lease));
    }

    @Override
    public Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease) {
        return scope.call(() -> target.renew(owner, claims, lease));
    }

    @Override
    public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
        return scope.call(() -> target.settle(owner, settlements));
    }

    @Override
    public int expire(int limit) {
        return scope.call(() -> target.expire(limit));
    }

    @Override
    public int removeOld(OutboxHistory part, Duration age, int limit) {
        return scope.call(() -> target.removeOld(part, age, limit));
    }

    @Override
    public LaneShare holdLanes(OutboxOwner owner, Set<Integer> giveUp, Duration lease) {
        return scope.call(() -> target.holdLanes(owner, giveUp, lease));
    }

    @Override
    public void leaveLanes(OutboxOwner owner) {
        scope.run(() -> target.leaveLanes(owner));
    }

    @Override
    public boolean hasOrdered() {
        return scope.call(target::hasOrdered);
    }

    @Override
    public List<OrderedEntry> ordered(Map<Integer, Long> after, int perLane) {
        return scope.call(() -> target.ordered(after, perLane));
    }

    @Override
    public List<OrderedEntry> ordered(String orderingKey, int limit) {
        return scope.call(() -> target.ordered(orderingKey, limit));
    }

    @Override
    public ClaimResult claimOrdered(
            OutboxOwner owner, Collection<LaneLease> lanes, Collection<Long> ids, Duration lease) {
        return scope.call(() -> target.claimOrdered(owner, lanes, ids, lease));
    }

    @Override
    public OutboxStore.Watch watch(Runnable wake) {
        CallScope host = CallScope.ofThisThread();
        OutboxStore.Watch made = scope.call(() -> target.watch(() -> host.run(wake::run)));
        return () -> scope.run(made::close);
    }

    @Override
    public void close() {
        scope.run(target::close);
    }

    @Override
    public String toString() {
        return target.toString();
    }
}
