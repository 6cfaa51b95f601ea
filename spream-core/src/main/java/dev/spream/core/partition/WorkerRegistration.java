package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Optional;

/**
 * The registration of a worker of a subscription: until it expires, the other workers count it when they divide the
 * partitions.
 *
 * @param worker the worker
 * @param capacity how many partitions it can read at the same time, at least 1
 * @param wholeTransactions whether it delivers whole transactions, not each change by itself
 * @param registeredAt when it first registered, on the storage's clock
 * @param aliveUntil the end of the registration, unless it is renewed, on the storage's clock
 * @param progress the low watermark of its partitions, as it last registered it
 * @param alive whether {@code aliveUntil} is in the future
 */
public record WorkerRegistration(
        WorkerId worker,
        int capacity,
        boolean wholeTransactions,
        Instant registeredAt,
        Instant aliveUntil,
        Optional<WorkerProgress> progress,
        boolean alive) {
    public WorkerRegistration {
        requireNonNull(worker, "worker");
        requireNonNull(registeredAt, "registeredAt");
        requireNonNull(aliveUntil, "aliveUntil");
        requireNonNull(progress, "progress");
        if (capacity < 1) {
            throw new IllegalArgumentException("worker %s: capacity %d, must be 1 or more".formatted(worker, capacity));
        }
    }

    /**
     * The low watermark of the partitions that one worker owned at a moment.
     *
     * @param lowWatermark the earliest of their watermarks, or an earlier time; empty if it owned none
     * @param asOf the {@linkplain FrontierChanges#asOf time} of the look that showed which partitions it owned, on the storage's
     *     clock; nothing is said of those that it acquired later
     */
    public record WorkerProgress(Optional<Instant> lowWatermark, Instant asOf) {
        public WorkerProgress {
            requireNonNull(lowWatermark, "lowWatermark");
            requireNonNull(asOf, "asOf");
        }
    }
}
