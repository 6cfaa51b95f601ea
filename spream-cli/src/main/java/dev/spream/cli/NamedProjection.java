package dev.spream.cli;

import dev.spream.core.projection.ProjectionDetails;
import dev.spream.core.projection.ProjectionOperations;
import dev.spream.core.projection.ProjectionState;
import java.util.List;
import picocli.CommandLine.Parameters;

/** The argument that names a projection. */
final class NamedProjection {
    @Parameters(paramLabel = "PROJECTION", arity = "1", description = "The projection, by the name that list shows.")
    private String name = "";

    String name() {
        return name;
    }

    /**
     * All that is known of it.
     *
     * @throws CommandFailure if there is no such projection; it says which there are
     */
    ProjectionDetails find(ProjectionOperations projections) {
        return projections.show(name).orElseThrow(() -> new CommandFailure(missing(projections.list())));
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
