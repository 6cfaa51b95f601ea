package dev.spream.cli.panel;

import dev.spream.cli.output.Members;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionState;
import java.time.Duration;
import java.util.Optional;

/** The state of a projection as JSON. Times are RFC 3339, durations seconds; missing values are absent. */
public final class ProjectionMembers {
    private static final double MILLIS = 1_000;

    private ProjectionMembers() {}

    /**
     * Returns the members of a projection.
     *
     * @param status the status for display
     */
    public static Members of(ProjectionDetails projection, String status) {
        ProjectionState state = projection.state();
        return new Members()
                .put("projection_name", state.projection())
                .put("status", status)
                .put("epoch", state.epoch())
                .put("segment_count", state.segments())
                .put("segments_unheld", unheld(projection))
                .put("event_store_position", state.segments() > 0 ? Optional.of(state.position()) : Optional.empty())
                .put("last_processed_event_id", state.lastEventId())
                .put("last_processed_timestamp", state.lastEventAt())
                .put("error_count", state.errorCount())
                .put("last_error", state.lastError())
                .put("last_error_at", state.lastErrorAt())
                .put("parked_keys", projection.parkedKeys())
                .put("parked_events", projection.parkedEvents())
                .put("dead_letters", projection.deadLetters())
                .put("updated_at", state.updatedAt());
    }

    public static Members segment(ProjectionDetails.Segment segment) {
        return new Members()
                .put("segment", segment.segment())
                .put("epoch", segment.epoch())
                .put("position", segment.position())
                .put("owner", segment.owner())
                .put("lease_left_seconds", segment.leaseLeft().map(ProjectionMembers::seconds));
    }

    /** Returns the number of segments without an owner of a projection that should run; else 0. */
    public static long unheld(ProjectionDetails projection) {
        return switch (projection.state().status()) {
            case RUNNING, REBUILDING ->
                projection.segments().stream()
                        .filter(segment -> segment.owner().isEmpty())
                        .count();
            case PAUSED, FAILED -> 0;
        };
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / MILLIS;
    }
}
