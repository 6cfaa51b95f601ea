package dev.spream.projection;

import dev.spream.core.LoggedFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks, before any projection of a manager starts, whether all of them can be run as they were added. */
final class SegmentCheck {
    private static final Logger log = LoggerFactory.getLogger(SegmentCheck.class);

    private SegmentCheck() {}

    /**
     * Checks that those which are in the store have segments if their sources have positions. If it cannot be reached, each is checked
     * when it can be.
     *
     * @throws IllegalArgumentException if there are some of which that is not so
     */
    static void of(ManagerSetup<?> setup) {
        List<String> problems = new ArrayList<>();
        for (ProjectionSetup<?> projection : setup.projections()) {
            Optional<ProjectionState> state;
            try {
                state = setup.store().state(projection.projection().name());
            } catch (RuntimeException e) {
                log.debug(
                        "[{}] projections are checked when the store can be reached",
                        setup.owner().name(),
                        LoggedFailure.of(e));
                break;
            }
            state.flatMap(found -> problem(found, projection)).ifPresent(problems::add);
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    private static Optional<String> problem(ProjectionState state, ProjectionSetup<?> projection) {
        try {
            state.requireSegments(projection.segments());
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}
