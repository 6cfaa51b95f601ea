package dev.spream.testkit.outbox;

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
import java.util.function.Supplier;

/** Forwards all calls to another store. Subclasses override single methods, or let calls fail in {@link #call}. */
public class ForwardingOutboxStore implements OutboxStore {
    public final OutboxStore target;

    public ForwardingOutboxStore(OutboxStore target) {
        this.target = target;
    }

    protected <T> T call(String operation, Supplier<T> call) {
        return call.get();
    }

    @Override
    public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
        return call("claim", () -> target.claim(owner, destination, limit, lease));
    }

    @Override
    public Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease) {
        return call("renew", () -> target.renew(owner, claims, lease));
    }

    @Override
    public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
        return call("settle", () -> target.settle(owner, settlements));
    }

    @Override
    public int expire(int limit) {
        return call("expire", () -> target.expire(limit));
    }

    @Override
    public int removeOld(OutboxHistory part, Duration age, int limit) {
        return call("removeOld", () -> target.removeOld(part, age, limit));
    }

    @Override
    public OutboxSegmentShare holdSegments(OutboxOwner owner, Set<Integer> giveUp, Duration lease) {
        return call("holdSegments", () -> target.holdSegments(owner, giveUp, lease));
    }

    @Override
    public void releaseSegments(OutboxOwner owner) {
        boolean left = call("releaseSegments", () -> {
            target.releaseSegments(owner);
            return true;
        });
        assert left;
    }

    @Override
    public boolean hasOrdered() {
        return call("hasOrdered", target::hasOrdered);
    }

    @Override
    public Optional<Duration> nextDue(String destination) {
        return target.nextDue(destination);
    }

    @Override
    public Set<String> destinations() {
        return target.destinations();
    }

    @Override
    public List<OrderedEntry> ordered(String destination, Map<Integer, Long> after, int perSegment) {
        return call("ordered", () -> target.ordered(destination, after, perSegment));
    }

    @Override
    public List<OrderedEntry> ordered(String destination, String orderingKey, int limit) {
        return call("orderedOfKey", () -> target.ordered(destination, orderingKey, limit));
    }

    @Override
    public ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> segments, Collection<Long> ids, Duration lease) {
        return call("claimOrdered", () -> target.claimOrdered(owner, segments, ids, lease));
    }

    @Override
    public Watch watch(Watcher watcher) {
        return call("watch", () -> target.watch(watcher));
    }

    @Override
    public void close() {
        target.close();
    }
}
