package dev.spream.core.subscription;

import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The part of the {@link SimulationJudge} that checks how workers share the partitions while nothing disturbs them: they
 * make progress, a free partition is read again soon, no worker has two more than another that could take one, and
 * nothing is handed back and forth.
 *
 * <p>A disturbance is any failure, and any worker that joins, leaves, is paused or loses its storage. A worker is a
 * member from its first registration until it is stopped, has a reason to stop, or is disturbed in that way. A worker
 * that has claimed more than its share because others did not claim releases nothing for a while, for which uneven
 * shares are not a violation.
 */
final class JudgedShares {
    private static final int DISCOVERIES_UNTIL_CLAIMED = 5;
    private static final int CALLS_UNTIL_CLAIMED = 12;
    private static final int CALLS_OF_A_CLAIM = 3;
    private static final int DISCOVERIES_UNTIL_EVEN = 8;
    private static final int CALLS_UNTIL_EVEN = 30;
    private static final int DISCOVERIES_UNTIL_NEGLECTED = 3;
    private static final int MAX_DOUBLINGS = 6;
    private static final Duration LONGEST_STANDSTILL = Duration.ofMinutes(5);
    private static final Duration MARGIN = Duration.ofMillis(20);

    private final SimulationJudge judge;
    private final SimulatedMachine machine;
    private final PartitionStorage surviving;
    private final SimulationTally tally;
    private final int capacity;
    private final boolean alone;
    private final long leaseTime;
    private final long untilClaimed;
    private final long claim;
    private final long untilNeglected;
    private final long untilEven;

    private final Set<JudgedRun> members = new LinkedHashSet<>();
    private final Map<JudgedRun, Integer> lateClaims = new HashMap<>();
    private final List<Claim> claims = new ArrayList<>();
    private long abstainedUntil;
    private long disturbedAt;
    private final Map<PartitionToken, Long> claimableSince = new HashMap<>();
    private long movedAt;
    private long progressedAt;
    private long fullAt;
    private int handOvers;

    /**
     * A watch over the shares.
     *
     * @param capacity how many partitions one worker may read at the same time
     * @param longestLatency of a call of a port, in nanoseconds
     * @param alone whether one worker at a time reads all partitions
     */
    JudgedShares(
            SimulationJudge judge,
            SimulatedMachine machine,
            PartitionStorage surviving,
            SubscriberOptions options,
            int capacity,
            long longestLatency,
            boolean alone,
            SimulationTally tally) {
        this.judge = judge;
        this.machine = machine;
        this.surviving = surviving;
        this.tally = tally;
        this.capacity = capacity;
        this.alone = alone;
        long discovery = options.partitionDiscoveryInterval().toNanos();
        this.untilClaimed =
                DISCOVERIES_UNTIL_CLAIMED * discovery + CALLS_UNTIL_CLAIMED * longestLatency + MARGIN.toNanos();
        this.claim = discovery + CALLS_OF_A_CLAIM * longestLatency;
        this.leaseTime = options.leaseTime().toNanos();
        this.untilNeglected = DISCOVERIES_UNTIL_NEGLECTED * discovery;
        this.untilEven = options.leaseTime().toNanos()
                + DISCOVERIES_UNTIL_EVEN * discovery
                + CALLS_UNTIL_EVEN * longestLatency
                + RetryingStorageCalls.LONGEST_PAUSE.toNanos();
    }

    /** Something went wrong, or is over. */
    void disturbed() {
        claimableSince.clear();
        disturbedAt = machine.now();
        handOvers = 0;
    }

    /** The worker is registered, anew or again. */
    void registered(JudgedRun run) {
        if (!run.leaving && machine.now() >= run.absentUntil && members.add(run)) {
            disturbed();
        }
    }

    boolean isMember(JudgedRun run) {
        return members.contains(run);
    }

    /** The worker stands still, or does not reach the storage, for so long. */
    void absent(JudgedRun run, long nanos) {
        run.absentUntil = Math.max(run.absentUntil, machine.now() + nanos);
        members.remove(run);
        disturbed();
    }

    /** The worker's leases last longer: what a worker holds that does not take part is out of reach for as long again. */
    void renewed(JudgedRun run) {
        if (!members.contains(run)) {
            disturbed();
        }
    }

    /** The worker is about to end. */
    void leaving(JudgedRun run) {
        run.leaving = true;
        absent(run, 0);
    }

    /** The subscription is opened, which may be long after the beginning of the world. */
    void opened() {
        progressed();
    }

    /** There are other partitions than before. */
    void changed() {
        moved();
        handOvers = 0;
    }

    /** A change was settled, or more is stored as settled than before. */
    void progressed() {
        progressedAt = machine.now();
    }

    private void moved() {
        noteFull();
        movedAt = machine.now();
    }

    private void noteFull() {
        if (members.stream().allMatch(run -> used(run) >= capacity)) {
            fullAt = machine.now();
        }
    }

    /** Partitions that the worker holds, or whose consumer has not returned. */
    private long used(JudgedRun run) {
        return run.allHolds.stream()
                .filter(hold -> hold.calls > 0 || !hold.isOver(machine.now()))
                .count();
    }

    /** A partition that was acquired, and from where it is read. */
    private record Claim(long at, Instant start) {}

    /**
     * A partition is about to be acquired that could have been for some time. Those that are further behind go first.
     *
     * @param leftAt when its last owner left it: a worker may count it as neglected since then
     */
    void acquiring(JudgedRun run, JudgedHold hold, long freeSince, long leftAt) {
        moved();
        long before = claims.stream()
                .filter(other -> other.at >= freeSince && !other.start.isAfter(hold.start))
                .count();
        claims.add(new Claim(machine.now(), hold.start));
        if (machine.now() - Math.min(freeSince, leftAt) >= untilNeglected) {
            int times = lateClaims.merge(run, 1, Integer::sum);
            abstainedUntil = Math.max(abstainedUntil, machine.now() + (leaseTime << Math.min(times, MAX_DOUBLINGS)));
        }
        // A call that failed is tried again after a pause, which may have begun before the partition came free.
        long calmSince = disturbedAt + RetryingStorageCalls.LONGEST_PAUSE.toNanos();
        if (Math.max(calmSince, fullAt) >= freeSince || members.isEmpty()) {
            return;
        }
        tally.count(SimulationEvent.CLAIMED_UNDISTURBED);
        if (machine.now() - freeSince > untilClaimed + before * claim) {
            throw judge.violated(
                    Promise.PROGRESS,
                    "%s acquires %s, which was free for %s",
                    run.process,
                    hold.token,
                    Duration.ofNanos(machine.now() - freeSince));
        }
    }

    void acquired() {
        noteFull();
    }

    /** A worker is about to give a partition back. */
    void releasing(JudgedRun run, JudgedHold hold) {
        moved();
        if (!members.contains(run) || fullAt >= disturbedAt) {
            return;
        }
        handOvers++;
        tally.count(SimulationEvent.HANDED_OVER);
        long partitions = surviving.frontier().partitions().stream()
                .filter(partition -> !partition.isFinished())
                .count();
        if (handOvers > partitions + members.size()) {
            throw judge.violated(
                    Promise.FAIR_SHARE,
                    "%s hands %s over, the %dth time that a partition is, and nothing has changed",
                    run.process,
                    hold.token,
                    handOvers);
        }
    }

    /** A worker says that everything before that time is settled, but for what is in gaps, or was added later. */
    void requireSettledBefore(Optional<Instant> lowWatermark) {
        Lineage lineage = surviving.lineage();
        Optional<Instant> stored = lineage.lowWatermark();
        if (!surviving.corrections().isEmpty()
                || Stream.concat(
                                lineage.partitions().stream().map(PartitionMetadata::gaps),
                                surviving.proofs().stream().map(FinishedPartition::gaps))
                        .anyMatch(gaps -> !gaps.isEmpty())) {
            return;
        }
        if (lowWatermark.isPresent()
                && stored.filter(lowWatermark.get()::isAfter).isPresent()) {
            throw judge.violated(
                    Promise.LOW_WATERMARK,
                    "%s is said to be the low watermark, and %s is stored",
                    lowWatermark.get(),
                    stored.get());
        }
    }

    /** A worker looks at the partitions. */
    void looked() {
        if (machine.now() - Math.max(Math.max(disturbedAt, movedAt), progressedAt) > LONGEST_STANDSTILL.toNanos()) {
            throw judge.violated(
                    Promise.PROGRESS,
                    "nothing has been settled, acquired or finished for %s; stored are %s",
                    LONGEST_STANDSTILL,
                    surviving.frontier().partitions());
        }
        if (machine.now() - Math.max(disturbedAt, movedAt) < untilEven || members.isEmpty()) {
            return;
        }
        boolean abstained = machine.now() - abstainedUntil < untilEven;
        if (members.stream().anyMatch(run -> run.calls > 0)) {
            return;
        }
        if (alone) {
            requireOneHolder();
            requireRead();
            return;
        }
        long most = members.stream().mapToLong(this::used).max().orElseThrow();
        long fewest = members.stream().mapToLong(this::used).min().orElseThrow();
        if (most > 0 && members.size() > 1) {
            tally.count(SimulationEvent.EVEN);
        }
        if (fewest < capacity && most - fewest > 1 && !abstained) {
            throw judge.violated(
                    Promise.FAIR_SHARE,
                    "one of %d workers holds %d partitions and another %d, and nothing has changed for %s",
                    members.size(),
                    most,
                    fewest,
                    Duration.ofNanos(machine.now() - Math.max(disturbedAt, movedAt)));
        }
        if (fewest < capacity) {
            requireRead();
        }
    }

    private void requireOneHolder() {
        long holders = members.stream().filter(run -> used(run) > 0).count();
        if (members.size() > 1 && holders == 1) {
            tally.count(SimulationEvent.ONE_HOLDER);
        }
        if (holders > 1) {
            throw judge.violated(
                    Promise.FAIR_SHARE,
                    "%d of %d workers hold partitions, where one reads all, and nothing has changed for %s",
                    holders,
                    members.size(),
                    Duration.ofNanos(machine.now() - Math.max(disturbedAt, movedAt)));
        }
    }

    /** A partition does not stay claimable; one whose wait for moved keys is over may have become so just now. */
    private void requireRead() {
        List<PartitionMetadata> claimable = surviving.lineage().claimable();
        claimableSince
                .keySet()
                .retainAll(claimable.stream().map(PartitionMetadata::token).toList());
        for (PartitionMetadata free : claimable) {
            long since = claimableSince.computeIfAbsent(free.token(), token -> machine.now());
            if (machine.now() - Math.max(since, disturbedAt) > untilClaimed) {
                throw judge.violated(Promise.PROGRESS, "no process reads %s", claimable);
            }
        }
    }
}
