package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.event.EventSource;

/** A projection as a manager was given it. */
record ProjectionSetup<T>(Projection<? super T> projection, EventSource source, ProjectionOptions options) {
    ProjectionSetup {
        requireNonNull(projection, "projection");
        requireNonNull(source, "source");
        requireNonNull(options, "options");
    }
}
