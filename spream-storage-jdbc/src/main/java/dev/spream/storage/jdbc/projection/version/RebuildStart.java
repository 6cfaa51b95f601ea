package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionRebuilds.SkippedEvents;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionRole;
import dev.spream.storage.jdbc.projection.internal.EventColumns;
import dev.spream.storage.jdbc.projection.internal.ProjectionAuditTable;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalInt;

/** Begins rebuilds: registers new versions of projections. */
record RebuildStart(ProjectionDatabase database) {
    private static final String SEGMENTS = """
            SELECT p.segments, (SELECT coalesce(max(s.position), 0) FROM @projection_segments s WHERE s.projection = p.projection_name) AS position
            FROM @projection_states p WHERE p.projection_name = ?""";

    private static final String LATEST = """
            UPDATE @projection_versions SET latest = latest + 1 WHERE projection = ? RETURNING latest""";

    private static final String ADD_VERSION = """
            INSERT INTO @projection_versions (projection, version, state, revision, role, from_position, prepared, created_at,
                measured_at, latest)
            VALUES (?, ?, ?, ?, 'CANDIDATE', ?, false, clock_timestamp(), clock_timestamp(), ?)""";

    private static final String ADD_STATE = """
            INSERT INTO @projection_states (projection_name, status, segments, event_store_position, updated_at)
            VALUES (?, 'REBUILDING', ?, ?, clock_timestamp())""";

    /** Adds the segments; none begins ahead of the live version. */
    private static final String ADD_SEGMENTS = """
            INSERT INTO @projection_segments (projection, segment, position)
            SELECT ?, s.segment, least(s.position, ?) FROM @projection_segments s WHERE s.projection = ?""";

    /** Copies the dead letters of events that were skipped in another version, with time and reason. */
    private static final String SKIP_AS_IN = """
            INSERT INTO @projection_dead_letters (projection, kind, kept_at, reason, aggregate_id, %1$s)
            SELECT ?, d.kind, d.kept_at, d.reason, d.aggregate_id, %1$s
            FROM @projection_dead_letters d WHERE d.projection = ? AND d.kind = 'SKIPPED' ORDER BY d.id
            RETURNING true""".formatted(EventColumns.NAMES);

    int run(String projection, OptionalInt revision, long from, SkippedEvents skipped, Act act) {
        if (from < 0) {
            throw new IllegalArgumentException("from position %d: must be 0 or more".formatted(from));
        }
        return database.inTransaction("rebuilding projection '%s'".formatted(projection), transaction -> {
            List<VersionTable.Stored> versions = LiveAndCandidate.take(transaction, projection);
            VersionTable.Stored live = LiveAndCandidate.live(versions);
            requireNoCandidate(projection, versions);
            Live state = transaction.row(SEGMENTS, p -> p.text(live.state()), Live::read);
            state.requirePositions(projection, from);
            int version = transaction.row(LATEST, p -> p.text(projection), row -> row.getInt("latest"));
            int code = revision.orElse(live.version().revision());
            ProjectionVersion begun =
                    new ProjectionVersion(projection, version, code, VersionRole.CANDIDATE, from, false);
            add(transaction, begun, live, state);
            int taken = skipped == SkippedEvents.SKIP
                    ? transaction
                            .rows(SKIP_AS_IN, p -> p.text(begun.stateName()).text(live.state()), row -> true)
                            .size()
                    : 0;
            ProjectionAuditTable.add(transaction, projection, "rebuild", begun.begun(taken), act);
            return version;
        });
    }

    private static void requireNoCandidate(String projection, List<VersionTable.Stored> versions) {
        versions.stream()
                .map(VersionTable.Stored::version)
                .filter(version -> version.role() == VersionRole.CANDIDATE)
                .findFirst()
                .ifPresent(candidate -> {
                    throw new IllegalStateException(
                            "version %d of projection '%s' is being built; nothing was changed: cut over to it, or drop it"
                                    .formatted(candidate.version(), projection));
                });
    }

    private record Live(int segments, long position) {
        static Live read(ResultSet row) throws SQLException {
            return new Live(row.getInt("segments"), row.getLong("position"));
        }

        void requirePositions(String projection, long from) {
            if (segments == 0) {
                throw new IllegalStateException(
                        "the source of projection '%s' has no positions, so it cannot be read again; nothing was changed: use a source with positions, such as the event store, for another projection"
                                .formatted(projection));
            }
            if (from > position) {
                throw new IllegalStateException(
                        "projection '%s' is at position %d, so it cannot be rebuilt from %d; nothing was changed: specify a position up to the former"
                                .formatted(projection, position, from));
            }
        }
    }

    private static void add(
            ProjectionTransaction transaction, ProjectionVersion version, VersionTable.Stored live, Live state)
            throws SQLException {
        String name = version.stateName();
        StatementBatch trip = transaction.next();
        trip.update(
                ADD_VERSION,
                p -> p.text(version.projection())
                        .number(version.version())
                        .text(name)
                        .number(version.revision())
                        .number(version.from())
                        .number(version.version()));
        trip.update(ADD_STATE, p -> p.text(name).number(state.segments()).number(version.from()));
        trip.update(ADD_SEGMENTS, p -> p.text(name).number(version.from()).text(live.state()));
        trip.run();
    }
}
