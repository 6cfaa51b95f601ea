package dev.spream.api.metrics;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The counters and timers of a projection in this process. Safe for use by many threads. */
final class ProjectionCounters {
    /** The number of event types with a tag value of their own, which bounds the size of the registry. */
    static final int MAX_EVENT_TYPES = 50;

    private static final String OTHER = "other";

    static final String UNDECODABLE = "undecodable";

    private final Meters meters;
    private final Meters.Tagged events;
    final Meters.Tagged errors;
    final Meters.Tagged parkings;
    final Counter resumed;
    final Counter segmentsLost;
    private final DistributionSummary batchSize;
    private final Timer batches;
    private final Timer otherTypes;
    private final Map<String, Timer> types = new ConcurrentHashMap<>();

    ProjectionCounters(MeterRegistry registry, String projection) {
        this.meters = new Meters(registry, Tags.of("projection", projection));
        this.events = meters.counters(
                "projection.events",
                "Processed events: applied or of no interest, duplicates, or parked with their aggregate.",
                "outcome",
                List.of("applied", "duplicate", "parked"));
        List<String> errorTypes = new ArrayList<>(Meters.tags(FailureKind.values()));
        errorTypes.add(UNDECODABLE);
        this.errors = meters.counters(
                "projection.errors",
                "Failures of events, of the source and of the store, by type; undecodable counts items that are no"
                        + " events.",
                "error_type",
                errorTypes);
        this.parkings = meters.counters(
                "projection.keys.parked",
                "Times that an aggregate was parked, or stayed parked after a retry, by reason.",
                "reason",
                Meters.tags(ParkReason.values()));
        this.resumed = meters.counter("projection.keys.resumed", "Parked aggregates that resumed.");
        this.segmentsLost = meters.counter(
                "projection.segments.lost", "Segments that another process took over before this one released them.");
        this.batchSize = DistributionSummary.builder("projection.batch.size")
                .description("Events applied in one transaction.")
                .serviceLevelObjectives(1, 10, 100, 1_000, 10_000)
                .tags(meters.tags())
                .register(registry);
        this.batches = meters.timer(
                "projection.batch.duration", "Duration of a transaction, from its first statement to its commit.");
        this.otherTypes = type(OTHER);
    }

    void batch(int count, int known, int parked, Duration took) {
        events.of("applied").increment(count);
        events.of("duplicate").increment(known);
        events.of("parked").increment(parked);
        batchSize.record((double) count + known + parked);
        batches.record(took);
    }

    void event(String eventType, Duration took) {
        Timer timer = types.get(eventType);
        if (timer == null) {
            timer = types.size() < MAX_EVENT_TYPES ? types.computeIfAbsent(eventType, this::type) : otherTypes;
        }
        timer.record(took);
    }

    private Timer type(String eventType) {
        return meters.timer(
                "projection.event.processing.duration",
                "Processing time of an event, as its share of the transaction that applied it.",
                "event_type",
                eventType);
    }
}
