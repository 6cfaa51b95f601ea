package dev.spream.projection.runner;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventSource;

/** A projection as a manager was given it. */
record ProjectionSetup<T>(Projection<? super T> projection, EventSource source, ProjectionOptions options) {
    ProjectionSetup {
        requireNonNull(projection, "projection");
        requireNonNull(source, "source");
        requireNonNull(options, "options");
    }

    /** Into how many segments the projection is split if it is new; 0 over a source without positions. */
    int segments() {
        return source.positioned() ? options.segments() : 0;
    }
}
