package dev.spream.cli.http;

import static java.util.stream.Collectors.toMap;

import dev.spream.api.health.SubscriptionHealth;
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
 * The state of the subscription in this process. Safe for use by many threads.
 *
 * @param subscription its name
 * @param startedAt the time at which the process began to open it
 */
record Observed(
        String subscription,
        Instant startedAt,
        InstantSource clock,
        RunState state,
        EventCounts counts,
        FailureLog failures,
        RecentSeconds seconds,
        LagHistory lags,
        SubscriptionHealth health,
        StoredState stored,
        SpreamMetrics metrics) {

    /** @param pause the minimum time between two reads of the storage as a multiple of the time that a read takes */
    static Observed of(String subscription, InstantSource clock, RunState state, int pause, MeterRegistry registry) {
        return new Observed(
                subscription,
                clock.instant(),
                clock,
                state,
                new EventCounts(),
                new FailureLog(clock),
                new RecentSeconds(),
                new LagHistory(),
                new SubscriptionHealth(clock),
                new StoredState(state::view, pause, clock),
                SpreamMetrics.of(registry, subscription));
    }

    List<SubscriptionListener> listeners() {
        return List.of(state, counts, failures, health, metrics);
    }

    /** Returns the reason why the process is unhealthy; empty if it is healthy. */
    Optional<String> problem() {
        return switch (state.phase()) {
            case FAILED -> Optional.of("the subscription has ended: " + state.reason());
            case STARTING, RUNNING, DRAINING -> health.problem();
            case ENDED -> Optional.empty();
        };
    }

    /** Returns the partitions that this worker reads. */
    List<PartitionProgress> held() {
        return switch (state.phase()) {
            case RUNNING, DRAINING -> state.view().map(SubscriptionView::held).orElse(List.of());
            case STARTING, ENDED, FAILED -> List.of();
        };
    }

    /** Updates the state; called once a second. */
    void look() {
        Optional<SubscriptionView> view = state.view();
        Instant now = clock.instant();
        RecentSeconds.Sample sample = new RecentSeconds.Sample(
                now, counts.all(), view.flatMap(SubscriptionView::lowWatermark).map(low -> behind(low, now)));
        seconds.add(sample);
        List<PartitionProgress> held = held();
        lags.add(
                now,
                held.stream()
                        .collect(toMap(
                                PartitionProgress::token,
                                partition -> behind(partition.watermark(), now),
                                (first, second) -> second)));
        health.look(held, sample.settled());
    }

    /** Returns the lag of a time behind another; zero if there is none. */
    static Duration behind(Instant point, Instant now) {
        return point.isBefore(now) ? Duration.between(point, now) : Duration.ZERO;
    }
}
