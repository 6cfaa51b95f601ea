package dev.spream.testkit.memory;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** The worker side of an {@link InMemoryOutbox}. */
final class MemoryStore implements OutboxStore {
    private final OutboxMemory memory;
    private final List<Watch> watches = new CopyOnWriteArrayList<>();

    MemoryStore(OutboxMemory memory) {
        this.memory = memory;
    }

    @Override
    public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
        return memory.locked(() -> claim(memory.entries.due(destination, memory.now(), limit), owner, lease));
    }

    @Override
    public Optional<Duration> nextDue(String destination) {
        return memory.locked(() -> {
            Instant now = memory.now();
            return memory.entries.nextDue(destination, now).map(at -> Duration.between(now, at));
        });
    }

    @Override
    public Set<String> destinations() {
        return memory.locked(() -> memory.entries.unsettled().stream()
                .map(StoredEntry::destination)
                .collect(Collectors.toSet()));
    }

    @Override
    public ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> segments, Collection<Long> ids, Duration lease) {
        return memory.locked(() -> {
            Instant now = memory.now();
            Set<Integer> held = segments.stream()
                    .filter(segment -> memory.segments.isHeld(owner, segment, now))
                    .map(OutboxSegmentLease::segment)
                    .collect(Collectors.toSet());
            List<StoredEntry> heads = Set.copyOf(ids).stream()
                    .flatMap(id -> memory.entries.find(id).stream())
                    .filter(entry -> entry.orderingKey()
                            .map(key -> held.contains(OutboxSegmentLease.segmentOf(key)))
                            .orElse(false))
                    .filter(entry -> entry.isDue(now) && !memory.entries.waitsForAnother(entry, now))
                    .sorted(Comparator.comparing(StoredEntry::dueAt).thenComparingLong(StoredEntry::id))
                    .toList();
            return claim(heads, owner, lease);
        });
    }

    private ClaimResult claim(List<StoredEntry> due, OutboxOwner owner, Duration lease) {
        Instant now = memory.now();
        List<OutboxClaim> claims = new ArrayList<>();
        int leasesExpired = 0;
        int synchronised = 0;
        int conflicts = 0;
        for (StoredEntry entry : due) {
            switch (memory.verdict(entry)) {
                case SETTLED -> synchronised++;
                case CONFLICT -> conflicts++;
                case OPEN -> {
                    leasesExpired += entry.hasLapsed(now) ? 1 : 0;
                    memory.entries.edit(entry, () -> claims.add(entry.claim(owner, now, lease)));
                }
            }
            memory.contradicts(entry);
        }
        return new ClaimResult(claims, leasesExpired, synchronised, conflicts);
    }

    @Override
    public Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease) {
        return memory.locked(() -> {
            Set<OutboxClaim.Ref> lost = new LinkedHashSet<>();
            for (OutboxClaim.Ref claim : claims) {
                held(owner, claim)
                        .ifPresentOrElse(
                                entry -> memory.entries.edit(entry, () -> entry.renew(memory.now(), lease)),
                                () -> lost.add(claim));
            }
            return lost;
        });
    }

    private Optional<StoredEntry> held(OutboxOwner owner, OutboxClaim.Ref claim) {
        return memory.entries.find(claim.id()).filter(entry -> entry.isHeld(owner, claim));
    }

    @Override
    public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
        return memory.locked(() -> {
            memory.ledger.awaitNoWriter(() -> settlements.stream()
                    .flatMap(settlement -> memory.entries.find(settlement.ref().id()).stream())
                    .map(StoredEntry::key)
                    .toList());
            Set<OutboxClaim.Ref> lost = new LinkedHashSet<>();
            for (Settlement settlement : settlements) {
                OutboxClaim.Ref claim = settlement.ref();
                Optional<StoredEntry> entry =
                        memory.entries.find(claim.id()).filter(found -> found.isLastClaim(owner, claim));
                entry.filter(found -> found.isHeld(owner, claim)).ifPresent(found -> settle(found, settlement));
                if (entry.isEmpty()) {
                    lost.add(claim);
                }
            }
            return lost;
        });
    }

    private void settle(StoredEntry entry, Settlement settlement) {
        switch (settlement) {
            case Settlement.Succeeded succeeded -> memory.finish(entry, succeeded.result(), "");
            case Settlement.Aborted aborted -> memory.finish(entry, aborted.result(), aborted.message());
            case Settlement.Released released -> edit(entry, () -> entry.release(memory.now()));
            case Settlement.Failed failed -> unlessAnswered(entry, () -> entry.fail(failed, memory.now()));
            case Settlement.Parked parked ->
                unlessAnswered(
                        entry,
                        () -> entry.park(parked.reason(), parked.message(), parked.outcomeUnknown(), memory.now()));
        }
    }

    private void unlessAnswered(StoredEntry entry, Runnable change) {
        if (!memory.contradicts(entry)) {
            edit(entry, change);
        }
    }

    private void edit(StoredEntry entry, Runnable change) {
        memory.entries.edit(entry, change);
    }

    @Override
    public int expire(int limit) {
        return memory.locked(() -> {
            memory.ledger.awaitNoWriter(
                    () -> expired(limit).stream().map(StoredEntry::key).toList());
            List<StoredEntry> expired = expired(limit);
            expired.forEach(this::expire);
            return expired.size();
        });
    }

    private List<StoredEntry> expired(int limit) {
        Instant now = memory.now();
        return memory.entries.unsettled().stream()
                .filter(entry -> entry.isWaiting() && !entry.isParked() && entry.hasExpired(now))
                .limit(limit)
                .toList();
    }

    private void expire(StoredEntry entry) {
        if (entry.outcomeUnknown()) {
            unlessAnswered(
                    entry,
                    () -> entry.park(
                            ReasonCode.EXPIRED, "expired, and may have reached the receiver", true, memory.now()));
            return;
        }
        memory.finish(entry, LedgerResult.failed(ReasonCode.EXPIRED), "expired before it was sent");
    }

    @Override
    public int removeOld(OutboxHistory part, Duration age, int limit) {
        return memory.locked(() -> switch (part) {
            case ENTRIES -> memory.removeSettled(age, limit);
            case LEDGER -> MemoryLedger.prune(memory, age, limit);
            case AUDIT -> memory.removeAudit(age, limit);
        });
    }

    @Override
    public OutboxSegmentShare holdSegments(OutboxOwner owner, Set<Integer> giveUp, Duration lease) {
        return memory.locked(() -> memory.segments.hold(owner, giveUp, memory.now(), lease));
    }

    @Override
    public void releaseSegments(OutboxOwner owner) {
        memory.locked(() -> memory.segments.leave(owner));
    }

    @Override
    public boolean hasOrdered() {
        return memory.locked(() -> memory.entries.unsettled().stream()
                .anyMatch(entry -> entry.orderingKey().isPresent()));
    }

    @Override
    public List<OrderedEntry> ordered(String destination, Map<Integer, Long> after, int perSegment) {
        return memory.locked(() -> after.entrySet().stream()
                .flatMap(segment -> memory.entries
                        .segment(segment.getKey(), destination, segment.getValue())
                        .limit(perSegment))
                .map(entry -> entry.ordered(memory.now()))
                .toList());
    }

    @Override
    public List<OrderedEntry> ordered(String destination, String orderingKey, int limit) {
        return memory.locked(() -> memory.entries
                .ofOrderingKey(destination, orderingKey)
                .limit(limit)
                .map(entry -> entry.ordered(memory.now()))
                .toList());
    }

    @Override
    public Watch watch(Watcher watcher) {
        Watcher registered = new Registered(watcher);
        memory.watchers.add(registered);
        Watch watch = () -> memory.watchers.remove(registered);
        watches.add(watch);
        return watch;
    }

    /** A registration: one that is made twice is called twice, and each ends by itself. */
    private static final class Registered implements Watcher {
        private final Watcher watcher;

        private Registered(Watcher watcher) {
            this.watcher = watcher;
        }

        @Override
        public void wake() {
            watcher.wake();
        }

        @Override
        public Optional<ClaimRoom> reserve(String destination, int limit) {
            return watcher.reserve(destination, limit);
        }
    }

    @Override
    public void close() {
        watches.forEach(Watch::close);
    }
}
