package dev.spream.api.metrics;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The counters and timers of a projection in this process. Safe for use by many threads. */
final class ProjectionCounters {
    /** Event types that a tag tells apart; a source of events is not to fill the registry. */
    static final int MAX_EVENT_TYPES = 50;

    private static final String OTHER = "other";

    private final Meters meters;
    private final Counter applied;
    private final Counter duplicates;
    private final Counter setAside;
    private final Counter undecodable;
    private final Counter resumed;
    private final Counter segmentsLost;
    private final Map<FailureKind, Counter> failures;
    private final Map<ParkReason, Counter> parkings;
    private final DistributionSummary batchSize;
    private final Timer batches;
    private final Timer otherTypes;
    private final Map<String, Timer> types = new ConcurrentHashMap<>();

    ProjectionCounters(MeterRegistry registry, String projection) {
        this.meters = new Meters(registry, Tags.of("projection", projection));
        this.applied = events("applied");
        this.duplicates = events("duplicate");
        this.setAside = events("parked");
        this.undecodable = errors("undecodable");
        this.resumed = meters.counter("projection.keys.resumed", "Aggregates that were parked and go on.");
        this.segmentsLost = meters.counter(
                "projection.segments.lost", "Segments that went to another process before this one gave them up.");
        this.failures = each(FailureKind.values(), this::errors);
        this.parkings = each(
                ParkReason.values(),
                reason -> meters.counter(
                        "projection.keys.parked",
                        "How often an aggregate was parked, or stayed so after another try, by why.",
                        "reason",
                        reason));
        this.batchSize = DistributionSummary.builder("projection.batch.size")
                .description("Events in a transaction.")
                .serviceLevelObjectives(1, 10, 100, 1_000, 10_000)
                .tags(meters.tags())
                .register(registry);
        this.batches = meters.timer(
                "projection.batch.duration", "How long a transaction took, from its first statement to its commit.");
        this.otherTypes = type(OTHER);
    }

    private static <E extends Enum<E>> Map<E, Counter> each(E[] constants, Function<String, Counter> making) {
        return Arrays.stream(constants)
                .collect(Collectors.toUnmodifiableMap(
                        constant -> constant, constant -> making.apply(Meters.tag(constant))));
    }

    private Counter events(String outcome) {
        return meters.counter(
                "projection.events",
                "Events that were dealt with: applied or of no interest, known already, or set aside with their"
                        + " aggregates.",
                "outcome",
                outcome);
    }

    private Counter errors(String type) {
        return meters.counter(
                "projection.errors",
                "Failures of events, of the source and of the store, by what they mean; undecodable is what was no event.",
                "error_type",
                type);
    }

    void batch(int count, int known, int parked, Duration took) {
        applied.increment(count);
        duplicates.increment(known);
        setAside.increment(parked);
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
                "How long an event took, as its share of the transaction that applied it.",
                "event_type",
                eventType);
    }

    void parked(ParkReason reason) {
        requireNonNull(parkings.get(reason)).increment();
    }

    void failed(FailureKind kind) {
        requireNonNull(failures.get(kind)).increment();
    }

    void undecodable() {
        undecodable.increment();
    }

    void resumed() {
        resumed.increment();
    }

    void segmentLost() {
        segmentsLost.increment();
    }
}
