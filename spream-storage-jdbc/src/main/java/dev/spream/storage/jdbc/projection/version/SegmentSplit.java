package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.storage.jdbc.projection.internal.NamedVersions;
import dev.spream.storage.jdbc.projection.internal.ProjectionAuditTable;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;

/**
 * Splits projections into another number of segments, in one transaction. It holds the exclusive lock of all versions,
 * so that no effects are written meanwhile. The rows of the segments are replaced, with epochs above those of all
 * earlier leases, so that former owners are fenced.
 */
public record SegmentSplit(ProjectionDatabase database) {
    private static final String SEGMENTS = "SELECT segments FROM @projection_states WHERE projection_name = ?";

    private static final String STATE = """
            UPDATE @projection_states SET segments = ?, epoch = epoch + 1, updated_at = clock_timestamp() WHERE projection_name = ?""";

    /** Locks the segments in the order in which leases are renewed. */
    private static final String LOCK = """
            SELECT segment FROM @projection_segments WHERE projection = ? ORDER BY segment FOR UPDATE""";

    private static final String REPLACE = """
            WITH old AS (
                DELETE FROM @projection_segments WHERE projection = ? RETURNING epoch, position, dealt
            ), merged AS (
                SELECT max(epoch) + 1 AS epoch, min(position) AS position, sum(dealt) AS dealt FROM old
            )
            SELECT epoch, position, dealt FROM merged""";

    /** Adds the segments; all processed events are counted in the first one. */
    private static final String ADD = """
            INSERT INTO @projection_segments (projection, segment, epoch, position, dealt)
            SELECT ?, s.segment, ?, ?, CASE s.segment WHEN 0 THEN ? ELSE 0 END FROM generate_series(0, ? - 1) AS s (segment)""";

    /**
     * Moves the parked aggregates that a segment retries to another segment, which gets about the same share of them.
     */
    private static final String PARKED =
            "UPDATE @projection_parked_keys SET segment = segment * ? / ? WHERE projection = ?";

    public boolean run(String projection, int segments, Act act) {
        ProjectionOperations.requireSplit(segments);
        String what = "splitting projection '%s' into %d segments".formatted(projection, segments);
        return database.inTransaction(what, transaction -> {
            List<VersionTable.Stored> versions = LiveAndCandidate.take(transaction, projection);
            String live = LiveAndCandidate.live(versions).state();
            int before = transaction.row(SEGMENTS, p -> p.text(live), row -> row.getInt("segments"));
            if (before == 0) {
                throw new IllegalStateException(
                        "the source of projection '%s' has no positions, so it has no segments; nothing was changed"
                                .formatted(projection));
            }
            if (before == segments) {
                return false;
            }
            List<String> states = versions.stream()
                    .sorted(Comparator.comparing(version -> !version.version().isLive()))
                    .map(VersionTable.Stored::state)
                    .toList();
            for (String state : states) {
                new NamedVersions(database).takeStateAlone(transaction, what, state);
            }
            for (String state : states) {
                split(transaction, state, before, segments);
            }
            ProjectionAuditTable.add(transaction, live, "segments", before + " -> " + segments, act);
            return true;
        });
    }

    private record Merged(long epoch, long position, long dealt) {}

    private static void split(ProjectionTransaction transaction, String state, int before, int segments)
            throws SQLException {
        StatementBatch replacing = transaction.next();
        replacing.update(STATE, p -> p.number(segments).text(state));
        replacing.rows(LOCK, p -> p.text(state), row -> row.getInt("segment"));
        List<Merged> merged = replacing.rows(
                REPLACE,
                p -> p.text(state),
                row -> new Merged(row.getLong("epoch"), row.getLong("position"), row.getLong("dealt")));
        replacing.run();
        Merged old = merged.getFirst();
        StatementBatch adding = transaction.next();
        adding.update(
                ADD,
                p -> p.text(state)
                        .number(old.epoch())
                        .number(old.position())
                        .number(old.dealt())
                        .number(segments));
        adding.update(PARKED, p -> p.number(segments).number(before).text(state));
        adding.run();
    }
}
