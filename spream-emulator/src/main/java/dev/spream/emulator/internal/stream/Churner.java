package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import java.util.List;
import java.util.Random;

/** Changes a stream's partitions at random moments, on a thread of its own, until the stream stops. */
record Churner(ChangeStream stream, StreamSettings settings, CommitClock clock, Random random) {
    void start() {
        if (settings.churns()) {
            Thread.ofVirtual()
                    .name("spream-emulator-churn-" + stream.definition().name())
                    .start(this::run);
        }
    }

    private void run() {
        ClockMode pace = clock.pace();
        long due = pace.nanos() + pause();
        try {
            while (stream.stopped().isEmpty()) {
                long seen = stream.gate().wakes();
                long rest = due - pace.nanos();
                if (rest > 0) {
                    stream.gate().await(seen, pace.realNanos(rest));
                    continue;
                }
                step();
                stream.partitions().dropBefore(stream.horizon(clock.time()));
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
        PartitionChurn churn = settings.churn();
        int choice = random.nextInt(churn.splitWeight() + churn.mergeWeight() + churn.moveWeight());
        int at = random.nextInt(live.size());
        try {
            if (choice < churn.splitWeight() && live.size() < settings.maxPartitions()) {
                partitions.split(live.get(at).token());
            } else if (choice < churn.splitWeight() + churn.mergeWeight() && live.size() > 1) {
                int left = Math.min(at, live.size() - 2);
                partitions.merge(live.get(left).token(), live.get(left + 1).token());
            } else {
                partitions.move(live.get(at).token());
            }
        } catch (IllegalStateException e) {
            // A concurrent call changed the same partition, or it is too narrow: the next step chooses again.
            return;
        }
    }
}
