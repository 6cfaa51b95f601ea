package dev.spream.cli.http;

import dev.spream.api.metrics.SpreamMetrics;
import dev.spream.core.subscription.PartitionProgress;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.core.subscription.SubscriptionView;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Everything that is known of the subscription that runs in this process. Safe for use by many threads.
 *
 * @param subscription its name
 * @param startedAt when the process began to open it
 */
record Observed(
        String subscription,
        Instant startedAt,
        InstantSource clock,
        RunState state,
        EventCounts counts,
        FailureLog failures,
        RecentSeconds seconds,
        Health health,
        StoredState stored,
        SpreamMetrics metrics) {

    static Observed of(String subscription, InstantSource clock, RunState state, MeterRegistry registry) {
        return new Observed(
                subscription,
                clock.instant(),
                clock,
                state,
                new EventCounts(),
                new FailureLog(clock),
                new RecentSeconds(),
                new Health(clock),
                new StoredState(state::view, clock),
                SpreamMetrics.of(registry, subscription));
    }

    List<SubscriptionListener> listeners() {
        return List.of(state, counts, failures, health, metrics);
    }

    /** Why the process is not healthy; empty if it is. */
    Optional<String> problem() {
        return switch (state.phase()) {
            case FAILED -> Optional.of("the subscription has ended: " + state.reason());
            case STARTING, RUNNING, DRAINING -> health.problem();
            case ENDED -> Optional.empty();
        };
    }

    /** What this worker reads at the moment. */
    List<PartitionProgress> held() {
        return switch (state.phase()) {
            case RUNNING, DRAINING -> state.view().map(SubscriptionView::held).orElse(List.of());
            case STARTING, ENDED, FAILED -> List.of();
        };
    }

    /** Notes where things stand, once a second. */
    void look() {
        Optional<SubscriptionView> view = state.view();
        Instant now = clock.instant();
        RecentSeconds.Sample sample = new RecentSeconds.Sample(
                now, counts.all(), view.flatMap(SubscriptionView::lowWatermark).map(low -> behind(low, now)));
        seconds.add(sample);
        health.look(held(), sample.settled());
    }

    /** How far a point in time is behind another; zero if it is not. */
    static Duration behind(Instant point, Instant now) {
        return point.isBefore(now) ? Duration.between(point, now) : Duration.ZERO;
    }
}
