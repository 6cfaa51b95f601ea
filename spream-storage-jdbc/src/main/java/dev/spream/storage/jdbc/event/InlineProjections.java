package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.core.serialization.SerializationException;
import dev.spream.projection.ExternalReadModel;
import dev.spream.projection.FailureKind;
import dev.spream.projection.MultiRowProjection;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.SideEffectingProjection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.storage.jdbc.internal.GuardedConnection;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Projections that apply events in the transaction of their append. As safe for use by many threads as they are. */
record InlineProjections(List<Projection<? super Connection>> projections) {
    private static final GuardedConnection.Work WORK = new GuardedConnection.Work(
            "an inline projection",
            "the append ends the transaction: change settings by SET LOCAL",
            false,
            message -> new ProjectionException(FailureKind.FATAL, message, null));

    InlineProjections {
        projections = List.copyOf(projections);
        Set<String> names = new HashSet<>();
        for (Projection<? super Connection> projection : projections) {
            if (!names.add(projection.name())) {
                throw new IllegalArgumentException(
                        "two inline projections have the name '%s'".formatted(projection.name()));
            }
            if (projection instanceof SideEffectingProjection<?> || projection instanceof ExternalReadModel) {
                throw new IllegalArgumentException(
                        "projection '%s' has effects outside of its read model's tables, which an append cannot take back: run it by a ProjectionManager"
                                .formatted(projection.name()));
            }
        }
    }

    boolean isEmpty() {
        return projections.isEmpty();
    }

    RebuildableProjection<? super Connection> rebuildable(String name) {
        for (Projection<? super Connection> projection : projections) {
            if (projection.name().equals(name)
                    && projection instanceof RebuildableProjection<? super Connection> rebuildable) {
                return rebuildable;
            }
        }
        throw new IllegalArgumentException(
                "there is no inline projection '%s' that is a RebuildableProjection; inline projections: %s"
                        .formatted(
                                name, projections.stream().map(Projection::name).toList()));
    }

    /** Applies events with each projection, in the order in which they were added. */
    void apply(Connection connection, List<EventEnvelope> events) {
        projections.forEach(projection -> apply(projection, connection, events));
    }

    /**
     * Applies events of the types that the projection handles.
     *
     * @throws StorageException if the database has failed
     * @throws ProjectionException for any other failure
     */
    static void apply(Projection<? super Connection> projection, Connection connection, List<EventEnvelope> events) {
        List<EventEnvelope> handled = events.stream()
                .filter(event -> projection.handles(event.eventType()))
                .toList();
        GuardedConnection guard = new GuardedConnection(connection, WORK);
        try {
            if (projection instanceof MultiRowProjection<? super Connection, ?> folding) {
                fold(folding, guard.view(), handled);
            } else {
                for (EventEnvelope event : handled) {
                    projection.apply(guard.view(), event);
                }
            }
        } catch (Exception e) {
            throw failure(projection.name(), e);
        } finally {
            guard.end();
        }
    }

    private static <F> void fold(
            MultiRowProjection<? super Connection, F> projection, Connection connection, List<EventEnvelope> events)
            throws Exception {
        Map<String, F> rows = new TreeMap<>();
        for (EventEnvelope event : events) {
            projection.foldInto(rows, event);
        }
        if (!rows.isEmpty()) {
            projection.write(connection, rows);
        }
    }

    private static RuntimeException failure(String name, Exception thrown) {
        String what = "applying events with the inline projection '%s'".formatted(name);
        return switch (thrown) {
            case ProjectionException told -> told;
            case StorageException storage -> storage;
            case SerializationException unread ->
                new ProjectionException(
                        FailureKind.POISON,
                        "%s failed: %s; nothing was changed".formatted(what, unread.getMessage()),
                        unread);
            case SQLException error -> SqlErrors.withoutData(what, error);
            case InterruptedException interrupted -> {
                Thread.currentThread().interrupt();
                yield failure(what, FailureKind.TRANSIENT, interrupted);
            }
            default -> failure(what, FailureKind.POISON, thrown);
        };
    }

    private static ProjectionException failure(String what, FailureKind kind, Exception thrown) {
        return new ProjectionException(
                kind, "%s failed: %s; nothing was changed".formatted(what, ProjectionException.types(thrown)), thrown);
    }
}
