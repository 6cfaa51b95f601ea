package dev.spream.projection.runner;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventSource;

/** A projection as it was added to a manager. */
record ProjectionSetup<T>(Projection<? super T> projection, EventSource source, ProjectionOptions options) {
    ProjectionSetup {
        requireNonNull(projection, "projection");
        requireNonNull(source, "source");
        requireNonNull(options, "options");
    }

    /** Returns the number of segments of a new projection; 0 over a source without positions. */
    int segments() {
        return source.positioned() ? options.segments() : 0;
    }
}
