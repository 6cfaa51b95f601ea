package dev.spream.core.subscription.transaction;

import dev.spream.core.subscription.lease.HeldPartition;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The control over the delivery of one transaction, by the partitions of its changes. Safe for use by many threads. */
public final class TransactionControl {

    /** A wait that ends early when the control is stopping. */
    interface Pause {
        void await(TransactionControl control, Duration delay) throws InterruptedException;
    }

    private final List<TransactionSource> sources;
    private final Pause pause;
    private final Set<HeldPartition> partitions = new HashSet<>();

    TransactionControl(List<TransactionSource> sources, Pause pause) {
        this.sources = List.copyOf(sources);
        this.pause = pause;
        sources.forEach(source -> partitions.add(source.partition()));
    }

    public boolean isStopping() {
        return sources.stream().anyMatch(TransactionSource::isStopping);
    }

    public boolean isCancelled() {
        return sources.stream().anyMatch(TransactionSource::isCancelled);
    }

    public boolean isHeld() {
        return partitions.stream().allMatch(HeldPartition::isHeld);
    }

    /** Waits before a retry; returns early when one of the partitions is no longer read. */
    public void pause(Duration delay) throws InterruptedException {
        pause.await(this, delay);
    }
}
