package dev.spream.core.subscription;

import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Opens the stored subscription, and refuses to continue one that differs from the options. A new subscription is
 * stored when the server has answered its first query.
 */
final class SubscriptionOpener {
    private final EngineContext context;
    private final BooleanSupplier wanted;
    private final StartProbe probe;
    private boolean snapshot;

    /** @param wanted whether to repeat failed calls; code that makes it false also calls {@link #stop} */
    SubscriptionOpener(EngineContext context, BooleanSupplier wanted) {
        this.context = context;
        this.wanted = wanted;
        this.probe = new StartProbe(context, wanted);
    }

    /** Opens the stored subscription; returns empty if it was stopped before anything was stored. */
    Optional<SubscriptionRecord> open() throws InterruptedException {
        PartitionMode mode = context.source().partitionMode();
        Optional<SubscriptionRecord> before =
                context.storageCalls().repeat("looking for the subscription", wanted, PartitionStorage::subscription);
        SubscriptionRecord requested = requested(mode, before);
        if (before.isEmpty() && !isAdopted() && !probe.isAnswered(requested)) {
            return Optional.empty();
        }
        SubscriptionRecord stored = context.storageCalls()
                .repeat("opening the subscription", wanted, storage -> storage.openSubscription(requested));
        requireSame(stored, mode);
        snapshot = findSnapshot();
        return Optional.of(stored);
    }

    /** Returns whether the opened subscription begins with a snapshot. */
    boolean beginsWithSnapshot() {
        return snapshot;
    }

    /**
     * Returns whether the root partition, as long as it is not finished, is to be read as a snapshot: as configured,
     * unless it has been read before, which its stored children show. They were stored in one step.
     *
     * @throws SubscriptionException if a snapshot is requested and the subscription began without one
     */
    private boolean findSnapshot() throws InterruptedException {
        boolean requested = context.options().snapshot();
        if (!requested && isRootFinished()) {
            return false; // the flag decides nothing any more
        }
        List<PartitionToken> known = context.storageCalls()
                .repeat(
                        "looking for a snapshot",
                        wanted,
                        storage -> Stream.concat(
                                        storage.lineage().partitions().stream().map(PartitionMetadata::token),
                                        storage.proofs().stream().map(FinishedPartition::token))
                                .toList());
        boolean begun = known.stream().anyMatch(PartitionToken::isOfSnapshot);
        if (requested && !begun && known.stream().anyMatch(token -> !token.isRoot())) {
            throw new SubscriptionException(
                    "the stored subscription began without a snapshot; nothing was changed. Run without snapshot (--snapshot, snapshot=true), or begin another subscription with it, under another name");
        }
        return requested || begun;
    }

    private boolean isRootFinished() throws InterruptedException {
        return context.storageCalls()
                .repeat(
                        "looking for a snapshot",
                        wanted,
                        storage -> storage.lineage()
                                .partition(PartitionToken.ROOT)
                                .filter(root -> !root.isFinished())
                                .isEmpty());
    }

    /**
     * Returns whether partitions are stored that another program began to read. Reading continues at their watermarks.
     */
    private boolean isAdopted() throws InterruptedException {
        return context.storageCalls()
                .repeat(
                        "looking for partitions",
                        wanted,
                        storage -> !storage.lineage().partitions().isEmpty());
    }

    private SubscriptionRecord requested(PartitionMode mode, Optional<SubscriptionRecord> before) {
        SubscriberOptions options = context.options();
        if (before.isPresent() && options.storedRange()) {
            return before.get();
        }
        Instant start = options.startTimestamp()
                .or(() -> before.map(SubscriptionRecord::startTimestamp))
                .orElseGet(() -> options.snapshot()
                        ? context.source().snapshotTime()
                        : context.source().serverTime());
        options.endTimestamp().filter(end -> end.isBefore(start)).ifPresent(end -> {
            throw new SubscriptionException(
                    "the subscription would end at %s, before it starts at %s; nothing was read or stored. Set a start before the end"
                            .formatted(end, start));
        });
        return new SubscriptionRecord(
                context.source().streamName(), start, options.endTimestamp(), options.heartbeatInterval(), mode, false);
    }

    private void requireSame(SubscriptionRecord stored, PartitionMode mode) {
        List<String> differences = new ArrayList<>();
        String stream = context.source().streamName();
        if (!stored.streamName().equals(stream)) {
            differences.add("stream is %s, requested is %s".formatted(stored.streamName(), stream));
        }
        if (stored.partitionMode() != mode) {
            differences.add("partition mode is %s, that of the stream is %s".formatted(stored.partitionMode(), mode));
        }
        Optional<Instant> start = context.options().startTimestamp();
        boolean another = !context.options().storedRange();
        if (another && start.isPresent() && !start.get().equals(stored.startTimestamp())) {
            differences.add("start is %s, requested is %s".formatted(stored.startTimestamp(), start.get()));
        }
        Optional<Instant> end = context.options().endTimestamp();
        if (another && !end.equals(stored.endTimestamp())) {
            differences.add("end is %s, requested is %s".formatted(describe(stored.endTimestamp()), describe(end)));
        }
        if (!differences.isEmpty()) {
            throw new SubscriptionException(
                    "the stored subscription differs from the configured one: %s; nothing was changed. Use the stored values, correct them with spream subscription, or use another storage for the configured subscription"
                            .formatted(String.join("; ", differences)));
        }
    }

    private static String describe(Optional<Instant> end) {
        return end.map(Instant::toString).orElse("none");
    }

    void cancelIfStalled() {
        probe.cancelIfStalled();
    }

    /** Ends the wait for the server. May be called from any thread. */
    void stop() {
        probe.close();
    }
}
