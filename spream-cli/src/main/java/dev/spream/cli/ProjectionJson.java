package dev.spream.cli;

import dev.spream.core.record.JsonObject;
import dev.spream.projection.ParkedKey;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionState;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Projections for programs: one object each. Times are RFC 3339, durations seconds; what there is not is absent. */
final class ProjectionJson {
    private static final double MILLIS = 1_000;

    private ProjectionJson() {}

    static String row(ProjectionDetails projection, Optional<ProjectionBuild> build) {
        Map<String, @Nullable Object> members = members(projection, build);
        build.ifPresent(known -> {
            members.put("name", known.version().label());
            members.put("version", known.members());
        });
        return JsonObject.of(members).toString();
    }

    /** With its versions and its segments. */
    static String whole(ProjectionDetails projection, List<ProjectionBuild> builds, List<ParkedKey> parked) {
        Map<String, @Nullable Object> members = members(projection, ProjectionBuild.of(builds, projection.state()));
        members.put("versions", builds.stream().map(ProjectionBuild::members).toList());
        members.put(
                "segments",
                projection.segments().stream().map(ProjectionJson::segment).toList());
        members.put("parked", parked.stream().map(ProjectionJson::parked).toList());
        return JsonObject.of(members).toString();
    }

    private static Map<String, @Nullable Object> members(
            ProjectionDetails projection, Optional<ProjectionBuild> build) {
        ProjectionState state = projection.state();
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("projection_name", state.projection());
        members.put("status", ProjectionLines.status(state, build));
        members.put("epoch", state.epoch());
        members.put("segment_count", state.segments());
        members.put("segments_unheld", ProjectionLines.unheld(projection));
        if (state.segments() > 0) {
            members.put("event_store_position", state.position());
        }
        state.lastEventId().ifPresent(id -> members.put("last_processed_event_id", id));
        state.lastEventAt().ifPresent(at -> members.put("last_processed_timestamp", at.toString()));
        members.put("error_count", state.errorCount());
        state.lastError().ifPresent(error -> members.put("last_error", error));
        state.lastErrorAt().ifPresent(at -> members.put("last_error_at", at.toString()));
        members.put("parked_keys", projection.parkedKeys());
        members.put("parked_events", projection.parkedEvents());
        members.put("dead_letters", projection.deadLetters());
        members.put("updated_at", state.updatedAt().toString());
        return members;
    }

    private static Map<String, @Nullable Object> segment(ProjectionDetails.Segment segment) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("segment", segment.segment());
        members.put("epoch", segment.epoch());
        members.put("position", segment.position());
        segment.owner().ifPresent(owner -> members.put("owner", owner));
        segment.leaseLeft().ifPresent(left -> members.put("lease_left_seconds", seconds(left)));
        return members;
    }

    private static Map<String, @Nullable Object> parked(ParkedKey key) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("key", key.key());
        members.put("reason", lower(key.reason()));
        members.put("last_version", key.lastVersion());
        members.put("first_version", key.firstVersion());
        members.put("events", key.events());
        members.put("attempts", key.attempts());
        members.put("error", key.error());
        members.put("since", key.since().toString());
        key.nextTry().ifPresent(left -> members.put("next_try_seconds", seconds(left)));
        return members;
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / MILLIS;
    }
}
