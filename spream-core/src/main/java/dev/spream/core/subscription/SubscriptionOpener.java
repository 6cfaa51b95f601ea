package dev.spream.core.subscription;

import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.Lineage;
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

/**
 * Opens the stored subscription, and refuses to continue one that differs from the options. A new subscription is
 * stored when the server has answered its first query.
 */
final class SubscriptionOpener {
    private final EngineContext context;
    private final BooleanSupplier wanted;
    private final StartProbe probe;

    /** @param wanted whether to repeat failed calls; code that makes it false also calls {@link #stop} */
    SubscriptionOpener(EngineContext context, BooleanSupplier wanted) {
        this.context = context;
        this.wanted = wanted;
        this.probe = new StartProbe(context, wanted);
    }

    /** Opens the stored subscription; returns empty if it was stopped before anything was stored. */
    Optional<SubscriptionRecord> open() throws InterruptedException {
        PartitionMode mode = context.source().partitionMode();
        Optional<SubscriptionRecord> before = stored();
        SubscriptionRecord requested = requested(mode, before);
        if (before.isEmpty()) {
            if (!isAdopted()) {
                if (!probe.isAnswered(requested)) {
                    return Optional.empty();
                }
            } else if (stored().isEmpty()) { // and not by another worker meanwhile
                requireNoSnapshot();
            }
        }
        SubscriptionRecord stored = context.storageCalls()
                .repeat("opening the subscription", wanted, storage -> storage.openSubscription(requested));
        requireSame(stored, mode);
        requireOrdered(stored);
        return Optional.of(stored);
    }

    private Optional<SubscriptionRecord> stored() throws InterruptedException {
        return context.storageCalls().repeat("looking for the subscription", wanted, PartitionStorage::subscription);
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

    private void requireNoSnapshot() {
        if (context.options().snapshot()) {
            throw new SubscriptionException(
                    "the stored subscription began without a snapshot; nothing was changed. Run without snapshot (--snapshot, snapshot=true), begin anew with one (spream subscription begin-anew --snapshot), or begin another subscription with it, under another name");
        }
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
                context.source().streamName(),
                start,
                options.endTimestamp(),
                options.heartbeatInterval(),
                mode,
                false,
                options.snapshot() ? Optional.of(context.source().snapshotQuery()) : Optional.empty());
    }

    private void requireSame(SubscriptionRecord stored, PartitionMode mode) {
        if (stored.snapshot().isEmpty()) {
            requireNoSnapshot();
        }
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

    private void requireOrdered(SubscriptionRecord stored) throws InterruptedException {
        if (context.options().transactionMode() == TransactionMode.COMMIT_ORDER) {
            requireOrdered(
                    context.storageCalls().repeat("looking for a snapshot", wanted, PartitionStorage::frontier),
                    stored);
        }
    }

    /** Refuses to read rows of a snapshot in commit order: all have the same commit timestamp. */
    static void requireOrdered(Lineage lineage, SubscriptionRecord stored) {
        if (hasRowsLeft(lineage, stored)) {
            throw new SubscriptionException(
                    "the snapshot of the stored subscription is not read yet, and its rows have one commit timestamp and so no commit order; nothing was changed. Set transactionMode to WHOLE (transaction-mode=whole) until it is read");
        }
    }

    private static boolean hasRowsLeft(Lineage lineage, SubscriptionRecord stored) {
        return lineage.partitions().stream()
                .filter(partition ->
                        !partition.isFinished() && !partition.parentTokens().contains(PartitionToken.SNAPSHOT_ROWS))
                .map(PartitionMetadata::token)
                .anyMatch(token -> token.isOfSnapshot()
                        || (token.isRoot() && !stored.initialQuery().isRoot()));
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
