package dev.spream.cli.http;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Counters of a subscription's events in this process. Safe for use by many threads. */
final class EventCounts implements SubscriptionListener {
    static final String DELIVERIES = "deliveries";

    private static final String END_WITHOUT_PROOF = "end_without_proof";
    private static final List<String> OTHERS = List.of(
            DELIVERIES,
            "retries",
            "failures",
            "timeouts",
            "acquired",
            "released",
            "finished",
            "lease_lost",
            "duplicates_dropped",
            "gaps_accepted",
            "storage_retries");

    private final Map<String, LongAdder> counts = new LinkedHashMap<>(); // unmodified after construction
    private final Map<String, LongAdder> reconnects = new ConcurrentHashMap<>();

    EventCounts() {
        Stream.concat(Stream.of(Outcome.values()).map(EventCounts::name), OTHERS.stream())
                .forEach(name -> counts.put(name, new LongAdder()));
    }

    static String name(Outcome outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }

    /** Returns all counters by name in a fixed order, zeros included. */
    Map<String, Long> all() {
        return sums(counts);
    }

    /** Returns the numbers of reconnects by cause; causes that did not occur are absent. */
    Map<String, Long> reconnects() {
        return sums(reconnects);
    }

    private static Map<String, Long> sums(Map<String, LongAdder> counts) {
        Map<String, Long> sums = new LinkedHashMap<>();
        counts.forEach((name, count) -> sums.put(name, count.sum()));
        return sums;
    }

    private void count(String name) {
        requireNonNull(counts.get(name), name).increment();
    }

    @Override
    public void settled(PartitionToken partition, DataChangeRecord change, Outcome outcome, Duration consumeTime) {
        count(name(outcome));
    }

    @Override
    public void delivering(PartitionToken partition, DataChangeRecord change, int attempt) {
        count(DELIVERIES);
    }

    @Override
    public void deliveryFailed(DeliveryFailure failure, ErrorDecision decision) {
        count("failures");
        if (decision instanceof ErrorDecision.Retry) {
            count("retries");
        }
    }

    @Override
    public void consumeTimedOut(PartitionToken partition, DataChangeRecord change, Duration elapsed) {
        count("timeouts");
    }

    @Override
    public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
        count("acquired");
    }

    @Override
    public void partitionReleased(PartitionToken partition) {
        count("released");
    }

    @Override
    public void partitionFinished(PartitionToken partition, PartitionEnd proof) {
        count("finished");
    }

    @Override
    public void leaseLost(PartitionToken partition, long epoch) {
        count("lease_lost");
    }

    @Override
    public void duplicateDropped(PartitionToken partition, DataChangeRecord change) {
        count("duplicates_dropped");
    }

    @Override
    public void gapAccepted(PartitionToken partition, PartitionGap gap) {
        count("gaps_accepted");
    }

    @Override
    public void storageRetrying(String operation, Throwable cause) {
        count("storage_retries");
    }

    @Override
    public void reconnecting(PartitionToken partition, int attempt, Duration delay, @Nullable SourceException cause) {
        String name = cause == null ? END_WITHOUT_PROOF : cause.kind().name().toLowerCase(Locale.ROOT);
        reconnects.computeIfAbsent(name, key -> new LongAdder()).increment();
    }
}
