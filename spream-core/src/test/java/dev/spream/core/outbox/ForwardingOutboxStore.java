package dev.spream.core.outbox;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A store that does what another does; what extends it does one thing differently. */
class ForwardingOutboxStore implements OutboxStore {
    final OutboxStore target;

    ForwardingOutboxStore(OutboxStore target) {
        this.target = target;
    }

    @Override
    public ClaimResult claim(OutboxOwner owner, int limit, Duration lease) {
        return target.claim(owner, limit, lease);
    }

    @Override
    public Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease) {
        return target.renew(owner, claims, lease);
    }

    @Override
    public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
        return target.settle(owner, settlements);
    }

    @Override
    public int expire(int limit) {
        return target.expire(limit);
    }

    @Override
    public LaneShare holdLanes(OutboxOwner owner, Set<Integer> giveUp, Duration lease) {
        return target.holdLanes(owner, giveUp, lease);
    }

    @Override
    public void leaveLanes(OutboxOwner owner) {
        target.leaveLanes(owner);
    }

    @Override
    public List<OrderedEntry> ordered(Map<Integer, Long> after, int perLane) {
        return target.ordered(after, perLane);
    }

    @Override
    public List<OrderedEntry> ordered(String orderingKey, int limit) {
        return target.ordered(orderingKey, limit);
    }

    @Override
    public ClaimResult claimOrdered(
            OutboxOwner owner, Collection<LaneLease> lanes, Collection<Long> ids, Duration lease) {
        return target.claimOrdered(owner, lanes, ids, lease);
    }

    @Override
    public Watch watch(Runnable wake) {
        return target.watch(wake);
    }

    @Override
    public void close() {
        target.close();
    }
}
