package dev.spream.cli.panel;

import dev.spream.cli.http.Panel;
import dev.spream.cli.http.PanelCommand;
import dev.spream.cli.output.Members;
import dev.spream.core.record.JsonObject;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionVersion;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The projections: versions, positions, segments, parked aggregates and errors, with pause, resume and retry. */
public final class ProjectionsPanel implements Panel {
    private static final int SHOWN = 50;
    private static final String VERSION = "@";

    private final Opening<ProjectionOperations> projections;

    public ProjectionsPanel(Opening<ProjectionOperations> projections) {
        this.projections = projections;
    }

    @Override
    public String name() {
        return "projections";
    }

    @Override
    public Members read() throws Exception {
        ProjectionOperations open = projections.get();
        List<ProjectionState> states = open.list();
        List<Members> shown = states.stream()
                .limit(SHOWN)
                .flatMap(state -> open.show(stored(state.projection())).stream())
                .map(details -> members(open, details))
                .toList();
        return new Members().put("projections", shown).put("left_out", Math.max(0, states.size() - SHOWN));
    }

    private static Members members(ProjectionOperations open, ProjectionDetails details) {
        ProjectionState state = details.state();
        String name = state.projection();
        Optional<ProjectionVersion> version = open.rebuilds().versions(name.split(VERSION, 2)[0]).stream()
                .filter(known -> known.stateName().equals(name))
                .findFirst();
        String status = state.status().name().toLowerCase(Locale.ROOT);
        return ProjectionMembers.of(
                        details,
                        version.map(known -> known.text(state.status())).orElse(status))
                .put("name", version.map(ProjectionVersion::label).orElse(name))
                .put("version", version.map(ProjectionVersion::version))
                .put("role", version.map(ProjectionVersion::role))
                .list("segments", details.segments(), ProjectionMembers::segment);
    }

    /** Returns the name of this state, with the version number, since the name without it denotes the live version. */
    private static String stored(String state) {
        return state.contains(VERSION) ? state : state + VERSION + 1;
    }

    @Override
    public Map<String, PanelCommand> commands() {
        Map<String, PanelCommand> commands = new LinkedHashMap<>();
        commands.put("pause", this::pause);
        commands.put("resume", this::resume);
        commands.put("retry", this::retry);
        return commands;
    }

    private PanelCommand.Outcome pause(JsonObject given, String actor) throws Exception {
        Named named = Named.of(given, actor);
        return projections.get().pause(named.projection(), named.act())
                ? new PanelCommand.Outcome(true, named + " is paused in every process until it is resumed")
                : new PanelCommand.Outcome(false, named + " is not running, or does not exist; nothing was changed");
    }

    private PanelCommand.Outcome resume(JsonObject given, String actor) throws Exception {
        Named named = Named.of(given, actor);
        return projections.get().resume(named.projection(), named.act())
                ? new PanelCommand.Outcome(true, named + " continues within about a second where it runs")
                : new PanelCommand.Outcome(
                        false, named + " is neither paused nor failed, or does not exist; nothing was changed");
    }

    private PanelCommand.Outcome retry(JsonObject given, String actor) throws Exception {
        Named named = Named.of(given, actor);
        int parked = projections.get().retry(named.projection(), Optional.empty(), named.act());
        return new PanelCommand.Outcome(
                parked > 0,
                parked == 0
                        ? named + " has no parked aggregates; nothing was changed"
                        : "%d parked aggregates of %s are retried where it runs".formatted(parked, named));
    }

    /** @param projection its name for operators, as the page shows it */
    private record Named(String projection, Act act) {
        static Named of(JsonObject given, String actor) {
            CommandArguments arguments = CommandArguments.of(given);
            return new Named(arguments.text("projection"), new Act(actor, arguments.text("reason")));
        }

        @Override
        public String toString() {
            return "projection " + projection;
        }
    }
}
