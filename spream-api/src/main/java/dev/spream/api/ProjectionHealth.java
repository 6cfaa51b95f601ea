package dev.spream.api;

import dev.spream.core.record.JsonObject;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionView;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The health of the projections of a process, as the HTTP endpoints return it. A process that can report it is alive,
 * whatever the report: a restart fixes neither an unavailable database nor a failed projection. It is {@linkplain
 * #isReady ready} when its projections can continue.
 *
 * @param projections in the order in which they were added
 * @param errorRate the share of failures among recent attempts, 0 to 1, as {@link ProjectionErrorRate} counts it
 */
public record ProjectionHealth(List<ProjectionView> projections, double errorRate) {
    private static final double MILLIS = 1_000;

    /** The overall status of the projections of a process. */
    public enum Status {
        /** All projections run, and nothing is parked. */
        HEALTHY,
        /**
         * A projection is paused, has parked aggregates, was not read yet, or retries because a dependency is
         * unreachable; a version that is not live has failed; or a live version does not run in this process because
         * its code is not here.
         */
        DEGRADED,
        /** A live version has failed and waits for an operator. */
        UNHEALTHY
    }

    public ProjectionHealth {
        projections = List.copyOf(projections);
        if (!(errorRate >= 0 && errorRate <= 1)) {
            throw new IllegalArgumentException("errorRate is %s, must be 0 to 1".formatted(errorRate));
        }
    }

    public Status status() {
        if (projections.stream().anyMatch(ProjectionHealth::hasFailed)) {
            return Status.UNHEALTHY;
        }
        boolean allGoOn =
                projections.stream().allMatch(view -> isReachable(view) && continues(view) && appliesAll(view));
        return allGoOn && allLiveAreHere() ? Status.HEALTHY : Status.DEGRADED;
    }

    private boolean allLiveAreHere() {
        Set<String> live = new HashSet<>();
        projections.stream()
                .filter(view -> view.version().isLive())
                .forEach(view -> live.add(view.version().projection()));
        return projections.stream()
                .allMatch(view -> live.contains(view.version().projection()));
    }

    /** Returns whether the version is live and has failed. */
    private static boolean hasFailed(ProjectionView view) {
        return view.version().isLive() && view.state().status() == ProjectionStatus.FAILED;
    }

    private static boolean appliesAll(ProjectionView view) {
        return !view.version().isLive() || view.parked().aggregates() == 0;
    }

    private static boolean continues(ProjectionView view) {
        return view.state().status()
                == (view.version().isLive() ? ProjectionStatus.RUNNING : ProjectionStatus.REBUILDING);
    }

    /**
     * Returns whether the live version of every projection was read from its store, reaches its dependencies, and has
     * not failed. Paused and lagging projections are ready: an operator paused them, or they catch up.
     */
    public boolean isReady() {
        return projections.stream()
                .filter(view -> view.version().isLive())
                .allMatch(view -> isReachable(view) && !hasFailed(view));
    }

    private static boolean isReachable(ProjectionView view) {
        return view.state().epoch() > 0 && view.outage().isEmpty();
    }

    /**
     * Returns the longest known lag of a live version; 0 only if all are known to be caught up. Empty if neither a lag
     * nor that is known. Parked events do not count, see {@link #parkedEvents()}.
     */
    public Optional<Duration> lag() {
        List<Optional<Duration>> lags = projections.stream()
                .filter(view -> view.version().isLive())
                .map(ProjectionView::lag)
                .toList();
        boolean allKnown = lags.stream().allMatch(Optional::isPresent);
        return lags.stream()
                .flatMap(Optional::stream)
                .filter(lag -> allKnown || lag.isPositive())
                .max(Comparator.naturalOrder());
    }

    /** Returns the known number of parked events of live versions. */
    public long parkedEvents() {
        return projections.stream()
                .filter(view -> view.version().isLive())
                .mapToLong(view -> view.parked().events())
                .sum();
    }

    /**
     * Returns the health as one JSON object; unknown values are absent. It contains neither data nor errors of events.
     */
    public String json() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("status", status().name().toLowerCase(Locale.ROOT));
        members.put("ready", isReady());
        Map<String, @Nullable Object> each = new LinkedHashMap<>();
        projections.forEach(view -> each.put(view.version().label(), members(view)));
        members.put("projections", each);
        lag().ifPresent(lag -> members.put("lag_seconds", seconds(lag)));
        members.put("parked_events", parkedEvents());
        members.put("error_rate", errorRate);
        return JsonObject.of(members).toString();
    }

    private static Map<String, @Nullable Object> members(ProjectionView view) {
        ProjectionState state = view.state();
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("status", view.version().text(state.status()));
        state.lastEventId().ifPresent(id -> members.put("last_processed_event", id));
        state.lastEventAt().ifPresent(at -> members.put("last_processed_at", at.toString()));
        members.put("error_count", state.errorCount());
        if (state.segments() > 0) {
            members.put("position", state.position());
        }
        members.put("segments_held", view.segmentsHeld());
        view.lagEvents().ifPresent(events -> members.put("lag_events", events));
        view.lag().ifPresent(lag -> members.put("lag_seconds", seconds(lag)));
        ParkedSummary parked = view.parked();
        members.put("parked_aggregates", parked.aggregates());
        members.put("parked_events", parked.events());
        parked.longest().ifPresent(longest -> members.put("parked_seconds", seconds(longest)));
        members.put("outage", view.outage().isPresent());
        return members;
    }

    private static double seconds(Duration lag) {
        return lag.toMillis() / MILLIS;
    }
}
