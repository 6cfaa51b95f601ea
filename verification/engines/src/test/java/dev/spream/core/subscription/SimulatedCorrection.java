package dev.spream.core.subscription;

import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.CorrectionPlan;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** An operator's correction in the middle of a history: all processes are killed, and others start after it. */
final class SimulatedCorrection {

    /** The kind of correction. */
    enum Kind {
        NONE,
        GAP,
        SNAPSHOT,

        /** Not by the operator: the stream loses records. */
        LOSS
    }

    private static final CorrectionAct ACT = new CorrectionAct("operator", "a simulated correction");
    private static final int MOST_LOOKS = 25;
    private static final int MOST_ATTEMPTS = 10;
    private static final int MOST_TABLES = 3;

    /** A watermark that much before a loss, as a part of its age when it is found, is not taken for one that is kept. */
    private static final long MARGIN = RetentionLossHandler.MARGIN_PER_RETENTION / 2;

    private static final Duration AT_MOST_LATER = Duration.ofMinutes(5);

    private final RandomGenerator random;
    private final Kind kind;
    private final SimulatedWorld world;
    private final SimulatedMachine machine;
    private final PartitionStorage surviving;
    private final SimulationJudge judge;
    private final SimulationTally tally;
    private final SimulationHistory history;
    private final Duration leaseTime;
    private final List<SimulatedWorker> running = new ArrayList<>();
    private boolean underWay;

    SimulatedCorrection(
            RandomGenerator random,
            Kind kind,
            SimulatedWorld world,
            SimulatedMachine machine,
            PartitionStorage surviving,
            SimulationJudge judge,
            SimulationTally tally,
            SimulationHistory history,
            Duration leaseTime) {
        this.random = random;
        this.kind = kind;
        this.world = world;
        this.machine = machine;
        this.surviving = surviving;
        this.judge = judge;
        this.tally = tally;
        this.history = history;
        this.leaseTime = leaseTime;
    }

    /** An operator's in half of the histories, whatever their modes. */
    static Kind kindOf(long seed) {
        return switch ((int) Math.floorMod(Math.floorDiv(seed, 10L), 4L)) {
            case 1 -> Kind.GAP;
            case 3 -> Kind.SNAPSHOT;
            case 2 -> Math.floorMod(Math.floorDiv(seed, 40L), 2L) == 1 ? Kind.LOSS : Kind.NONE;
            default -> Kind.NONE;
        };
    }

    void started(SimulatedWorker worker) {
        running.add(worker);
    }

    void ended(SimulatedWorker worker) {
        running.remove(worker);
    }

    /** Waits until processes may start. */
    void awaitOver(SimulatedProcess operator) {
        while (underWay) {
            operator.sleepUninterruptibly(1 + random.nextLong(leaseTime.toNanos()));
        }
    }

    /** Corrects the subscription at some time, if it is being read then. */
    void perform(SimulatedProcess operator) {
        if (kind == Kind.NONE) {
            return;
        }
        long worldTime = Duration.between(world.start, world.end).toNanos();
        operator.sleepUninterruptibly(world.isLong() ? worldTime : random.nextLong(1 + worldTime));
        for (int looks = 0; looks < MOST_LOOKS && !isReady(); looks++) {
            operator.sleepUninterruptibly(1 + random.nextLong(leaseTime.toNanos()));
        }
        if (!isReady()) {
            return;
        }
        underWay = true;
        judge.shares.disturbed();
        List.copyOf(running).forEach(SimulatedWorker::kill);
        for (int attempts = 0; attempts < MOST_ATTEMPTS && !isMade(); attempts++) {
            operator.sleepUninterruptibly(1 + random.nextLong(2 * leaseTime.toNanos()));
        }
        judge.shares.disturbed();
        underWay = false;
    }

    private boolean isReady() {
        return surviving.subscription().filter(stored -> !stored.completed()).isPresent()
                && surviving
                        .lineage()
                        .partition(PartitionToken.ROOT)
                        .filter(root -> !root.isFinished())
                        .isEmpty()
                && unfinished().stream().findAny().isPresent();
    }

    private List<PartitionMetadata> unfinished() {
        return surviving.lineage().partitions().stream()
                .filter(partition -> !partition.isFinished())
                .toList();
    }

    /** Returns whether the correction is made, or is none. */
    private boolean isMade() {
        if (kind == Kind.LOSS) {
            lose();
            return true;
        }
        Optional<Correction> correction = kind == Kind.GAP ? gap() : snapshot();
        if (correction.isEmpty()) {
            return true;
        }
        CorrectionOutcome outcome = surviving.correct(correction.get(), ACT);
        if (!(outcome instanceof CorrectionOutcome.Planned planned)) {
            history.note("operator: %s: %s".formatted(correction.get(), outcome));
            return false;
        }
        history.note("operator: " + planned.plan().change());
        note(correction.get(), planned.plan());
        judge.storage.verify();
        return true;
    }

    private void note(Correction correction, CorrectionPlan plan) {
        switch (correction) {
            case Correction.AddGap gap -> {
                tally.count(SimulationEvent.GAP_ADDED);
                judge.corrections.gapAdded(gap.period().to(), plan);
            }
            case Correction.AddSnapshot snapshot -> {
                tally.count(SimulationEvent.SNAPSHOT_ADDED);
                judge.corrections.snapshotAdded(
                        snapshot.at(),
                        world.addSnapshot(snapshot.at(), snapshot.partitions().values()),
                        plan);
            }
            default -> throw new IllegalStateException(correction.toString());
        }
    }

    /** A gap of all partitions; or of some, where no keys move between living ones. */
    private Optional<Correction> gap() {
        Lineage lineage = surviving.lineage();
        Optional<Instant> from = lineage.lowWatermark();
        Instant now = machine.instant();
        Instant last = now.isBefore(world.end) ? now : world.end;
        if (from.isEmpty() || !from.get().isBefore(last)) {
            return Optional.empty();
        }
        List<Instant> ends = world.changes().stream()
                .map(change -> change.row().commitTimestamp())
                .filter(at -> at.isAfter(from.get()) && at.isBefore(last))
                .toList();
        Instant to = ends.isEmpty() || random.nextInt(4) == 0 ? last : ends.get(random.nextInt(ends.size()));
        Set<PartitionToken> named = new HashSet<>();
        if (!world.isMutable() && random.nextBoolean()) {
            unfinished().stream()
                    .filter(partition -> random.nextBoolean())
                    .forEach(partition -> named.add(partition.token()));
        }
        return Optional.of(new Correction.AddGap(new PartitionGap(from.get(), to), named));
    }

    /** Some partitions lose what was committed before a time, and others that are read up to earlier times do not. */
    private void lose() {
        List<PartitionMetadata> read = unfinished().stream()
                .filter(partition -> !partition.token().isRoot())
                .toList();
        Instant now = machine.instant();
        List<Instant> times = world.changes().stream()
                .map(change -> change.row().commitTimestamp())
                .filter(at -> at.isBefore(world.end) && at.isBefore(now))
                .distinct()
                .toList();
        if (read.isEmpty() || times.isEmpty()) {
            return;
        }
        Instant before = times.get(random.nextInt(times.size()));
        Instant latest =
                before.minus(Duration.between(before, now).plus(AT_MOST_LATER).dividedBy(MARGIN));
        if (world.partitions().stream().anyMatch(partition -> isIn(latest, before, partition.end))) {
            return; // its children would begin at the end of the gap, and what it returns may come later
        }
        Set<PartitionToken> lost = new HashSet<>();
        read.stream()
                .filter(partition -> partition.watermark().isBefore(latest) && random.nextBoolean())
                .forEach(partition -> lost.add(partition.token()));
        if (!lost.isEmpty()) {
            history.note("lost before %s: %s".formatted(before, lost));
            world.lose(lost, before, latest);
        }
    }

    private static boolean isIn(Instant from, Instant to, Instant at) {
        return !at.isBefore(from) && at.isBefore(to);
    }

    /** Rows as of a time at or after everything that was read; a later one than the last delivery is as good as now. */
    private Optional<Correction> snapshot() {
        Stream<Instant> read = Stream.concat(
                surviving.lineage().partitions().stream().map(PartitionMetadata::watermark),
                Stream.concat(
                        surviving.lineage().partitions().stream()
                                .flatMap(partition -> partition.endProof().stream())
                                .map(PartitionEnd::at),
                        surviving.proofs().stream()
                                .map(proof -> proof.endProof().at())));
        Instant first = Stream.concat(read, Stream.of(judge.corrections.latestDelivered()))
                .max(Instant::compareTo)
                .orElseThrow();
        Instant now = machine.instant();
        Instant last = now.isBefore(world.end) ? now : world.end.minusNanos(1);
        if (first.isAfter(last)) {
            return Optional.empty();
        }
        Instant at = random.nextBoolean()
                ? first
                : first.plusNanos(
                        random.nextLong(1 + Duration.between(first, last).toNanos()));
        Map<String, PartitionToken> tables = new LinkedHashMap<>();
        for (int table = random.nextInt(MOST_TABLES); table >= 0; table--) {
            tables.put("Added" + table, new PartitionToken(PartitionToken.ADDED_SNAPSHOT + table));
        }
        return Optional.of(new Correction.AddSnapshot(at, tables, false));
    }
}
