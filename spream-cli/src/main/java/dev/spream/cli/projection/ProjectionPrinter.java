package dev.spream.cli.projection;

import dev.spream.cli.output.Columns;
import dev.spream.cli.output.Figures;
import dev.spream.cli.output.PlainText;
import dev.spream.cli.panel.ProjectionMembers;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Formats projections for display. */
final class ProjectionPrinter {
    private static final String NONE = "-";
    private static final int ERROR_LENGTH = 70;

    private ProjectionPrinter() {}

    static List<String> table(List<ProjectionDetails> projections, Map<String, ProjectionBuild> builds, Instant now) {
        return Columns.table(
                List.of(
                        "PROJECTION",
                        "STATUS",
                        "POSITION",
                        "PARKED",
                        "ERRORS",
                        "LAST EVENT",
                        "OF",
                        "VERSION",
                        "LAST ERROR"),
                projections,
                projection -> row(
                        projection,
                        Optional.ofNullable(builds.get(projection.state().projection())),
                        now));
    }

    private static List<String> row(ProjectionDetails projection, Optional<ProjectionBuild> build, Instant now) {
        ProjectionState state = projection.state();
        return List.of(
                PlainText.of(build.map(known -> known.version().label()).orElse(state.projection())),
                status(projection, build),
                position(state),
                parked(projection),
                Figures.count(state.errorCount()),
                state.lastEventId().map(PlainText::of).orElse(NONE),
                state.lastEventAt().map(at -> ago(at, now)).orElse(NONE),
                build.map(ProjectionBuild::brief).orElse(NONE),
                lastError(state, now).map(ProjectionPrinter::beginning).orElse(NONE));
    }

    /** Returns the last error with its time, since it may be resolved. */
    private static Optional<String> lastError(ProjectionState state, Instant now) {
        return state.lastError()
                .map(error -> state.lastErrorAt().map(at -> ago(at, now) + ": ").orElse("") + PlainText.of(error));
    }

    private static String beginning(String text) {
        return text.length() <= ERROR_LENGTH ? text : text.substring(0, ERROR_LENGTH - 1) + "\u2026";
    }

    static String status(ProjectionState state) {
        return state.status().name().toLowerCase(Locale.ROOT);
    }

    /** Returns the status of a version in the form of {@link ProjectionVersion#text}. */
    static String status(ProjectionState state, Optional<ProjectionBuild> build) {
        return build.map(known -> known.version().text(state.status())).orElseGet(() -> status(state));
    }

    /** Returns the status, with the number of segments without an owner, which make no progress. */
    private static String status(ProjectionDetails projection, Optional<ProjectionBuild> build) {
        long unheld = ProjectionMembers.unheld(projection);
        String status = status(projection.state(), build);
        return unheld == 0
                ? status
                : "%s (%d of %d segments unowned)"
                        .formatted(status, unheld, projection.segments().size());
    }

    private static String position(ProjectionState state) {
        return state.segments() == 0 ? NONE : Figures.count(state.position());
    }

    private static String parked(ProjectionDetails projection) {
        return projection.parkedKeys() == 0
                ? "0"
                : "%s (%s events)"
                        .formatted(Figures.count(projection.parkedKeys()), Figures.count(projection.parkedEvents()));
    }

    static String ago(Instant at, Instant now) {
        return Figures.duration(Duration.between(at, now)) + " ago";
    }

    /**
     * Returns all of a projection.
     *
     * @param builds all of its versions
     * @param parked the parked aggregates to show
     */
    static List<String> whole(
            ProjectionDetails projection, List<ProjectionBuild> builds, List<ParkedAggregate> parked, Instant now) {
        List<List<String>> facts = facts(projection, builds, now);
        builds.forEach(build -> facts.add(List.of("version", build.text())));
        List<String> lines = new ArrayList<>(Columns.align(facts));
        lines.addAll(segments(projection));
        lines.addAll(parked(projection, parked, now));
        return lines;
    }

    private static List<List<String>> facts(ProjectionDetails projection, List<ProjectionBuild> builds, Instant now) {
        ProjectionState state = projection.state();
        List<List<String>> facts = new ArrayList<>();
        facts.add(List.of("projection", PlainText.of(state.projection())));
        facts.add(List.of("status", status(projection, ProjectionBuild.of(builds, state))));
        facts.add(List.of(
                "position",
                state.segments() == 0 ? "none: the source has no positions" : Figures.count(state.position())));
        state.lastEventId().ifPresent(id -> facts.add(List.of("last event", PlainText.of(id))));
        state.lastEventAt().ifPresent(at -> facts.add(List.of("of", "%s, %s".formatted(at, ago(at, now)))));
        facts.add(List.of("errors", Figures.count(state.errorCount())));
        lastError(state, now).ifPresent(error -> facts.add(List.of("last error", error)));
        facts.add(List.of("parked", parked(projection)));
        facts.add(List.of("dead letters", Figures.count(projection.deadLetters())));
        facts.add(List.of("updated", Figures.seconds(state.updatedAt()).toString()));
        return facts;
    }

    private static List<String> segments(ProjectionDetails projection) {
        return under(Columns.table(
                List.of("SEGMENT", "POSITION", "EPOCH", "LEASE LEFT", "OWNER"),
                projection.segments(),
                segment -> List.of(
                        Integer.toString(segment.segment()),
                        Figures.count(segment.position()),
                        Long.toString(segment.epoch()),
                        segment.leaseLeft().map(Figures::duration).orElse(NONE),
                        segment.owner().map(PlainText::of).orElse("none"))));
    }

    private static List<String> parked(ProjectionDetails projection, List<ParkedAggregate> parked, Instant now) {
        List<String> lines = under(Columns.table(
                List.of("PARKED", "REASON", "VERSION", "EVENTS", "ATTEMPTS", "SINCE", "NEXT TRY", "ERROR"),
                parked,
                key -> List.of(
                        PlainText.of(key.key()),
                        reason(key),
                        Long.toString(key.firstVersion()),
                        Figures.count(key.events()),
                        Integer.toString(key.attempts()),
                        ago(key.since(), now),
                        nextTry(key),
                        PlainText.of(key.error()))));
        if (!parked.isEmpty() && projection.parkedKeys() > parked.size()) {
            lines.add("%s more: raise --limit".formatted(Figures.count(projection.parkedKeys() - parked.size())));
        }
        return lines;
    }

    /** Returns the reason; a poison aggregate with a requested retry is due. */
    private static String reason(ParkedAggregate key) {
        return key.reason() == ParkReason.POISON && key.nextTry().isPresent()
                ? "due"
                : key.reason().name().toLowerCase(Locale.ROOT);
    }

    private static String nextTry(ParkedAggregate key) {
        return key.nextTry()
                .map(left -> left.isZero() ? "due" : "in " + Figures.duration(left))
                .orElse("waits for an operator");
    }

    /** Returns an indented table; nothing without rows. */
    private static List<String> under(List<String> table) {
        List<String> lines = new ArrayList<>(table);
        if (!table.isEmpty()) {
            lines.addFirst("");
        }
        return lines;
    }
}
