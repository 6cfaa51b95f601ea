package dev.spream.cli.projection;

import dev.spream.api.ConfiguredProjections;
import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.output.PlainText;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionState;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The arguments that name a projection and its database. */
final class NamedProjection {
    private static final char VERSION = '@';
    private static final Pattern VERSIONED = Pattern.compile(".+" + VERSION + "([1-9][0-9]{0,8})");

    @Parameters(
            index = "0",
            paramLabel = "PROJECTION",
            arity = "1",
            description = "Name of the projection, as list shows it.")
    private String name = "";

    @Mixin
    private final ProjectionArguments arguments = new ProjectionArguments();

    /** Opens the projections; the caller closes the result. */
    ConfiguredProjections open() {
        return arguments.open();
    }

    String name() {
        return name;
    }

    /** Returns the name without the version suffix that {@code list} shows for versions that are not live. */
    String base() {
        return base(name);
    }

    static String base(String name) {
        int at = name.indexOf(VERSION);
        return at < 0 ? name : name.substring(0, at);
    }

    OptionalInt version() {
        Matcher versioned = VERSIONED.matcher(name);
        return versioned.matches() ? OptionalInt.of(Integer.parseInt(versioned.group(1))) : OptionalInt.empty();
    }

    /**
     * Returns the details of the projection.
     *
     * @throws CommandFailure if there is no such projection; the message lists the existing ones
     */
    ProjectionDetails find(ProjectionOperations projections) {
        return find(projections, name);
    }

    /**
     * Returns the projection of the named version.
     *
     * @return the name of the projection
     */
    String findBase(ProjectionOperations projections) {
        find(projections, base());
        return base();
    }

    private ProjectionDetails find(ProjectionOperations projections, String known) {
        return projections.show(known).orElseThrow(() -> new CommandFailure(missing(projections.list())));
    }

    private String missing(List<ProjectionState> others) {
        String known = String.join(
                ", ",
                others.stream().map(state -> PlainText.of(state.projection())).toList());
        return "there is no projection %s; %s"
                .formatted(this, known.isEmpty() ? "none has run with these tables yet" : "there are: " + known);
    }

    @Override
    public String toString() {
        return PlainText.of(name);
    }
}
