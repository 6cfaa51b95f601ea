package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.control.PartitionControl.KeyRange;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import java.time.Instant;
import java.util.List;
import java.util.Random;

/** Changes a stream's partitions at random moments, on a thread of its own, until the stream stops. */
record Churner(ChangeStream stream, StreamSettings settings, StreamClock clock, Random random) {
    private static final int AT_A_COMMIT_ONE_IN = 3;
    private static final int KINDS_OF_MOVES = 5;
    private static final int MANY_RANGES = 4;
    private static final int DROPS_A_RETENTION = 100; // each visits all partitions that ever were

    void start() {
        if (settings.churns()) {
            long first = clock.pace().nanos() + pause(); // here: the clock may be moved before the thread begins
            EmulatorThreads.builder()
                    .name("spream-emulator-churn-" + stream.definition().name())
                    .start(() -> run(first));
        }
    }

    private void run(long first) {
        ClockMode pace = clock.pace();
        long due = first;
        Instant nextDrop = Instant.MIN;
        try {
            while (stream.stopped().isEmpty()) {
                long seen = stream.gate().wakes();
                long rest = due - pace.nanos();
                if (rest > 0) {
                    stream.gate().await(seen, pace.realNanos(rest));
                    continue;
                }
                step();
                Instant horizon = stream.horizon(clock.time());
                if (horizon.isAfter(nextDrop)) {
                    stream.partitions().dropBefore(horizon);
                    nextDrop = horizon.plus(
                            stream.definition().options().retention().dividedBy(DROPS_A_RETENTION));
                }
                due += pause();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns a pause in nanoseconds, between half the mean and one and a half times the mean. */
    private long pause() {
        long mean = settings.churn().interval().toNanos();
        return Math.max(1, (long) (mean * (0.5 + random.nextDouble())));
    }

    /**
     * Makes one change: a split, a merge or a move by their weights, unless there are too few or too many partitions
     * for it.
     */
    void step() {
        StreamPartitions partitions = stream.partitions();
        List<PartitionView> live = partitions.live();
        Runnable change = change(partitions, live);
        if (partitions.isMutable() && !partitions.awaitsCommit() && random.nextInt(AT_A_COMMIT_ONE_IN) == 0) {
            partitions.runAtNextCommit(() -> attempt(change));
        } else {
            attempt(change);
        }
    }

    private static void attempt(Runnable change) {
        try {
            change.run();
        } catch (IllegalStateException e) {
            // A concurrent call changed the same partition, or it is too narrow: the next step chooses again.
            return;
        }
    }

    private Runnable change(StreamPartitions partitions, List<PartitionView> live) {
        PartitionChurn churn = settings.churn();
        int choice = random.nextInt(churn.splitWeight() + churn.mergeWeight() + churn.moveWeight());
        int at = random.nextInt(live.size());
        String token = live.get(at).token();
        if (choice < churn.splitWeight() && live.size() < settings.maxPartitions()) {
            return () -> partitions.split(token);
        }
        if (choice < churn.splitWeight() + churn.mergeWeight() && live.size() > 1) {
            int left = Math.min(at, live.size() - 2);
            return () ->
                    partitions.merge(live.get(left).token(), live.get(left + 1).token());
        }
        if (partitions.isMutable()) {
            return moveOfKeys(partitions, live.get(at), live.get(random.nextInt(live.size())), live.size());
        }
        return () -> partitions.move(token);
    }

    private Runnable moveOfKeys(StreamPartitions partitions, PartitionView source, PartitionView target, int count) {
        String from = source.token();
        String to = target.token();
        if (source.ranges().isEmpty()) {
            return () -> partitions.end(from);
        }
        KeyRange range = part(source.ranges());
        int kind = random.nextInt(KINDS_OF_MOVES);
        if (kind == 0 && count < settings.maxPartitions()) {
            return () -> partitions.moveRangeToNew(from, range);
        }
        if (kind == 1 || from.equals(to)) {
            return () -> partitions.move(from);
        }
        if (kind == 2 && !target.ranges().isEmpty()) {
            KeyRange back = part(target.ranges());
            return () -> partitions.swap(from, range, to, back);
        }
        if (kind == 3) {
            return () -> {
                source.ranges().forEach(each -> partitions.moveRange(from, each, to));
                partitions.end(from);
            };
        }
        return () -> partitions.moveRange(from, range, to);
    }

    /** Returns one of the ranges, or half of it unless there are many. */
    private KeyRange part(List<KeyRange> ranges) {
        KeyRange range = ranges.get(random.nextInt(ranges.size()));
        long middle = (range.from() + range.to()) >>> 1;
        return switch (ranges.size() < MANY_RANGES && middle > range.from() ? random.nextInt(3) : 2) {
            case 0 -> new KeyRange(range.from(), middle);
            case 1 -> new KeyRange(middle, range.to());
            default -> range;
        };
    }
}
