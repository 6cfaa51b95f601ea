package dev.spream.testkit.memory;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import dev.spream.testkit.outbox.ForwardingOutboxStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stores that do not keep the contract, each in one way. */
final class SpoiltOutboxStores {
    private static final OutboxSegmentShare NO_SEGMENTS =
            new OutboxSegmentShare(List.of(), OutboxSegmentLease.SEGMENTS);
    private static final ClaimResult NO_CLAIMS = new ClaimResult(List.of(), 0, 0, 0);

    private SpoiltOutboxStores() {}

    /** Does nothing. */
    static final class DoesNothing extends ForwardingOutboxStore {
        DoesNothing(OutboxStore target) {
            super(target);
        }

        @Override
        public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
            return NO_CLAIMS;
        }

        @Override
        public Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease) {
            return Set.of();
        }

        @Override
        public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
            return Set.of();
        }

        @Override
        public int expire(int limit) {
            return 0;
        }

        @Override
        public OutboxSegmentShare holdSegments(OutboxOwner owner, Set<Integer> release, Duration lease) {
            return NO_SEGMENTS;
        }

        @Override
        public boolean hasOrdered() {
            return false;
        }

        @Override
        public List<OrderedEntry> ordered(String destination, Map<Integer, Long> after, int perSegment) {
            return List.of();
        }

        @Override
        public List<OrderedEntry> ordered(String destination, String orderingKey, int limit) {
            return List.of();
        }

        @Override
        public ClaimResult claimOrdered(
                OutboxOwner owner, Collection<OutboxSegmentLease> segments, Collection<Long> ids, Duration lease) {
            return NO_CLAIMS;
        }

        @Override
        public Watch watch(Watcher watcher) {
            return () -> {};
        }
    }

    /** Gives a sender the entries of others. */
    static final class IgnoresDestinations extends ForwardingOutboxStore {
        IgnoresDestinations(OutboxStore target) {
            super(target);
        }

        @Override
        public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
            return target.claim(owner, "", limit, lease);
        }

        @Override
        public List<OrderedEntry> ordered(String destination, String orderingKey, int limit) {
            return target.ordered("", orderingKey, limit);
        }
    }

    /** Says that it settles, and forgets it. */
    static final class ForgetsSettlements extends ForwardingOutboxStore {
        ForgetsSettlements(OutboxStore target) {
            super(target);
        }

        @Override
        public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
            return Set.of();
        }
    }

    /** Writes by the id of an entry alone, whichever worker holds it. */
    static final class SettlesUnfenced extends ForwardingOutboxStore {
        /** Of both stores of a test, as the last claims are those of the table. */
        private static final Map<Long, Held> LAST = new ConcurrentHashMap<>();

        SettlesUnfenced(OutboxStore target) {
            super(target);
        }

        private record Held(OutboxOwner owner, OutboxClaim.Ref claim) {}

        @Override
        public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
            ClaimResult result = target.claim(owner, destination, limit, lease);
            result.claims().forEach(claim -> LAST.put(claim.entry().id(), new Held(owner, claim.ref())));
            return result;
        }

        @Override
        public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
            for (Settlement settlement : settlements) {
                Held held = LAST.getOrDefault(settlement.ref().id(), new Held(owner, settlement.ref()));
                target.settle(held.owner(), List.of(renamed(settlement, held.claim())));
            }
            return Set.of();
        }

        private static Settlement renamed(Settlement settlement, OutboxClaim.Ref claim) {
            return switch (settlement) {
                case Settlement.Succeeded it -> new Settlement.Succeeded(claim, it.result());
                case Settlement.Failed it ->
                    new Settlement.Failed(
                            claim, it.reason(), it.message(), it.delay(), it.outcomeUnknown(), it.counts());
                case Settlement.Parked it ->
                    new Settlement.Parked(claim, it.reason(), it.message(), it.outcomeUnknown());
                case Settlement.Aborted it -> new Settlement.Aborted(claim, it.result(), it.message());
                case Settlement.Released it -> new Settlement.Released(claim);
            };
        }
    }

    /** Loses what is repeated. */
    static final class LosesRepetitions extends ForwardingOutboxStore {
        private final Set<OutboxClaim.Ref> settled = ConcurrentHashMap.newKeySet();

        LosesRepetitions(OutboxStore target) {
            super(target);
        }

        @Override
        public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
            Set<OutboxClaim.Ref> lost = new HashSet<>(target.settle(owner, settlements));
            settlements.stream()
                    .map(Settlement::ref)
                    .filter(claim -> !settled.add(claim))
                    .forEach(lost::add);
            return lost;
        }
    }

    /** Gives entries out without a lease. */
    static final class IgnoresLeases extends ForwardingOutboxStore {
        IgnoresLeases(OutboxStore target) {
            super(target);
        }

        @Override
        public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
            return target.claim(owner, destination, limit, Duration.ZERO);
        }
    }

    /** Gives entries out for ever. */
    static final class NeverEndsLeases extends ForwardingOutboxStore {
        NeverEndsLeases(OutboxStore target) {
            super(target);
        }

        @Override
        public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
            return target.claim(owner, destination, limit, Duration.ofDays(10_000));
        }
    }

    /** Says that it renews, and does not. */
    static final class ForgetsRenewals extends ForwardingOutboxStore {
        ForgetsRenewals(OutboxStore target) {
            super(target);
        }

        @Override
        public Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease) {
            return Set.of();
        }
    }

    /** Counts an attempt when it fails, as the seed does. */
    static final class CountsNoAttemptsAtTheClaim extends ForwardingOutboxStore {
        private final Map<Long, Integer> failures = new ConcurrentHashMap<>();

        CountsNoAttemptsAtTheClaim(OutboxStore target) {
            super(target);
        }

        @Override
        public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
            ClaimResult result = target.claim(owner, destination, limit, lease);
            List<OutboxClaim> counted =
                    result.claims().stream().map(this::counted).toList();
            return new ClaimResult(counted, result.leasesExpired(), result.synchronised(), result.conflicts());
        }

        private OutboxClaim counted(OutboxClaim claim) {
            int attempt = 1 + failures.getOrDefault(claim.entry().id(), 0);
            return new OutboxClaim(claim.entry(), claim.token(), attempt, claim.outcomeUnknown(), claim.claimedAt());
        }

        @Override
        public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
            settlements.stream()
                    .filter(Settlement.Failed.class::isInstance)
                    .forEach(failed -> failures.merge(failed.ref().id(), 1, Integer::sum));
            return target.settle(owner, settlements);
        }
    }

    /** Takes what a worker that died left for not sent. */
    static final class ForgetsUnknownOutcomes extends ForwardingOutboxStore {
        ForgetsUnknownOutcomes(OutboxStore target) {
            super(target);
        }

        @Override
        public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
            ClaimResult result = target.claim(owner, destination, limit, lease);
            List<OutboxClaim> known = result.claims().stream()
                    .map(claim ->
                            new OutboxClaim(claim.entry(), claim.token(), claim.attempt(), false, claim.claimedAt()))
                    .toList();
            return new ClaimResult(known, result.leasesExpired(), result.synchronised(), result.conflicts());
        }
    }

    /** Claims more than was asked for. */
    static final class IgnoresLimits extends ForwardingOutboxStore {
        IgnoresLimits(OutboxStore target) {
            super(target);
        }

        @Override
        public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
            return target.claim(owner, destination, limit + 1, lease);
        }

        @Override
        public int expire(int limit) {
            return target.expire(limit + 1);
        }
    }

    /** Gives what is released no attempt back. */
    static final class CountsReleases extends ForwardingOutboxStore {
        CountsReleases(OutboxStore target) {
            super(target);
        }

        @Override
        public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
            return target.settle(
                    owner, settlements.stream().map(CountsReleases::failed).toList());
        }

        private static Settlement failed(Settlement settlement) {
            return settlement instanceof Settlement.Released
                    ? new Settlement.Failed(settlement.ref(), ReasonCode.UNAVAILABLE, "", Duration.ZERO, false)
                    : settlement;
        }
    }

    /** Leases the same segments to every worker that asks. */
    static final class GivesSegmentsToAll extends ForwardingOutboxStore {
        GivesSegmentsToAll(OutboxStore target) {
            super(target);
        }

        @Override
        public OutboxSegmentShare holdSegments(OutboxOwner owner, Set<Integer> release, Duration lease) {
            List<OutboxSegmentLease> all = new ArrayList<>();
            for (int segment = 0; segment < OutboxSegmentLease.SEGMENTS; segment++) {
                all.add(new OutboxSegmentLease(segment, 1));
            }
            return new OutboxSegmentShare(all, OutboxSegmentLease.SEGMENTS);
        }
    }

    /** Keeps the segments of workers that have left. */
    static final class KeepsSegments extends ForwardingOutboxStore {
        KeepsSegments(OutboxStore target) {
            super(target);
        }

        @Override
        public OutboxSegmentShare holdSegments(OutboxOwner owner, Set<Integer> release, Duration lease) {
            return target.holdSegments(owner, Set.of(), Duration.ofDays(10_000));
        }

        @Override
        public void releaseSegments(OutboxOwner owner) {}
    }

    /** Claims whatever id it is asked for, in any segment and any order. */
    static final class IgnoresOrder extends ForwardingOutboxStore {
        private final OutboxMemory memory;

        IgnoresOrder(InMemoryOutbox memory, OutboxStore target) {
            super(target);
            this.memory = memory.memory();
        }

        @Override
        public ClaimResult claimOrdered(
                OutboxOwner owner, Collection<OutboxSegmentLease> segments, Collection<Long> ids, Duration lease) {
            return memory.locked(() -> {
                List<OutboxClaim> claims = ids.stream()
                        .flatMap(id -> memory.entries.find(id).stream())
                        .filter(entry -> entry.isDue(memory.now()))
                        .map(entry -> claim(entry, owner, lease))
                        .toList();
                return new ClaimResult(claims, 0, 0, 0);
            });
        }

        private OutboxClaim claim(StoredEntry entry, OutboxOwner owner, Duration lease) {
            List<OutboxClaim> claimed = new ArrayList<>();
            memory.entries.edit(entry, () -> claimed.add(entry.claim(owner, memory.now(), lease)));
            return claimed.getFirst();
        }
    }

    /** Does not look into the ledger. */
    static final class IgnoresTheLedger extends ForwardingOutboxStore {
        private final OutboxMemory memory;

        IgnoresTheLedger(InMemoryOutbox memory, OutboxStore target) {
            super(target);
            this.memory = memory.memory();
        }

        @Override
        public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
            return memory.locked(() -> {
                List<OutboxClaim> claims = new ArrayList<>();
                for (StoredEntry entry : memory.entries.due(destination, memory.now(), limit)) {
                    memory.entries.edit(entry, () -> claims.add(entry.claim(owner, memory.now(), lease)));
                }
                return new ClaimResult(claims, 0, 0, 0);
            });
        }
    }
}
