package dev.spream.api.health;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;

import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.PartitionProgress;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The health of a running subscription. It reports two problems that are visible nowhere else: a storage whose calls
 * have all failed for a minute, so that no watermark is stored and leases expire; and open partitions of which for ten
 * minutes none advanced, nothing was settled, and no retry was waiting for its time or became due, which is longer than
 * the longest heartbeat interval.
 * A worker without partitions is healthy: others may own all of them. Safe for use by many threads.
 */
public final class SubscriptionHealth implements SubscriptionListener {
    static final Duration STORAGE_TIMEOUT = Duration.ofMinutes(1);
    static final Duration PROGRESS_TIMEOUT = Duration.ofMinutes(10);

    private final InstantSource clock;

    // Guarded by this.
    private @Nullable Instant storageFailingSince;
    private String storageFailure = "";
    private Instant movedAt;
    private Instant retryAt = Instant.MIN;
    private Map<PartitionToken, Instant> watermarks = Map.of();
    private long settled;

    public SubscriptionHealth(InstantSource clock) {
        this.clock = requireNonNull(clock, "clock");
        this.movedAt = clock.instant();
    }

    /** Returns the problem, a sentence without payloads or secrets; empty if the subscription is healthy. */
    public synchronized Optional<String> problem() {
        Instant now = clock.instant();
        if (storageFailingSince != null && isPast(storageFailingSince.plus(STORAGE_TIMEOUT), now)) {
            return Optional.of("the storage has failed since %s: %s".formatted(storageFailingSince, storageFailure));
        }
        Instant active = retryAt.isAfter(movedAt) ? retryAt : movedAt;
        if (!watermarks.isEmpty() && isPast(active.plus(PROGRESS_TIMEOUT), now)) {
            return Optional.of("none of the %d partitions of this worker has advanced since %s, and nothing was settled"
                    .formatted(watermarks.size(), movedAt));
        }
        return Optional.empty();
    }

    private static boolean isPast(Instant moment, Instant now) {
        return !now.isBefore(moment);
    }

    /**
     * Notes the progress; called regularly, or before {@link #problem}.
     *
     * @param held the partitions that this worker reads
     * @param settledSoFar the number of changes that this worker has settled, in whatever way
     */
    public synchronized void look(List<PartitionProgress> held, long settledSoFar) {
        Map<PartitionToken, Instant> now =
                held.stream().collect(toMap(PartitionProgress::token, PartitionProgress::watermark, (a, b) -> b));
        if (now.isEmpty() || !now.equals(watermarks) || settledSoFar != settled) {
            movedAt = clock.instant();
        }
        watermarks = now;
        settled = settledSoFar;
    }

    @Override
    public synchronized void storageRetrying(String operation, Throwable cause) {
        if (storageFailingSince == null) {
            storageFailingSince = clock.instant();
        }
        storageFailure = "%s: %s".formatted(operation, LoggedFailure.message(cause));
    }

    @Override
    public synchronized void deliveryFailed(DeliveryFailure failure, ErrorDecision decision) {
        if (decision instanceof ErrorDecision.Retry retry) {
            Instant due = clock.instant().plus(retry.delay());
            retryAt = due.isAfter(retryAt) ? due : retryAt;
        }
    }

    private synchronized void storageAnswered() {
        storageFailingSince = null;
    }

    @Override
    public void lowWatermark(Instant lowWatermark) {
        storageAnswered();
    }

    @Override
    public void watermarksPersisted(Map<PartitionToken, Instant> stored) {
        storageAnswered();
    }

    @Override
    public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
        storageAnswered();
    }

    @Override
    public void partitionFinished(PartitionToken partition, PartitionEnd proof) {
        storageAnswered();
    }
}
