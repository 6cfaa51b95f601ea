package dev.spream.storage.jdbc.projection.internal;

import dev.spream.projection.Fence;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.util.List;

/**
 * Checks in the transaction of a write whether its owner may still write. The projection's advisory lock is taken
 * first, shared by all writers: a pause, which takes it exclusively, has either waited for this transaction or is
 * visible to the next statement. The segment's row is locked until the end. This does not block the owner's other
 * transactions, so batches of a segment also wait for each other: a batch whose answer was lost may still be committing
 * while its owner continues.
 *
 * @see <a href="https://www.postgresql.org/docs/current/explicit-locking.html">PostgreSQL: explicit locking</a>
 */
public final class Fences {
    static final String SHARE = "SELECT true FROM pg_advisory_xact_lock_shared(hashtextextended(?, 0))";
    static final String TAKE_ALONE = "SELECT true FROM pg_advisory_xact_lock(hashtextextended(?, 0))";

    static final String SEGMENT = """
            SELECT true FROM @projection_states p JOIN @projection_segments s ON s.projection = p.projection_name
            WHERE p.projection_name = ? AND p.status IN ('RUNNING', 'REBUILDING') AND s.segment = ? AND s.owner = ? AND s.epoch = ?
            FOR KEY SHARE OF s""";

    private static final String WHOLE = """
            SELECT true FROM @projection_states p
            WHERE p.projection_name = ? AND p.status IN ('RUNNING', 'REBUILDING') AND p.epoch = ?""";

    /** The segment number of parked keys of a projection without segments. */
    private static final int NO_SEGMENT = -1;

    private Fences() {}

    /** Adds the query of the fence; it returns no row if the fence does not hold. */
    public static List<Boolean> ask(StatementBatch trip, SchemaName schema, Fence fence) {
        String lock = lockName(schema, fence.projection());
        trip.rows(SHARE, p -> p.text(lock), row -> row.getBoolean(1));
        return switch (fence) {
            case Fence.Segment held ->
                trip.rows(
                        SEGMENT,
                        p -> p.text(held.projection())
                                .number(held.segment())
                                .text(held.owner().toString())
                                .number(held.epoch()),
                        row -> row.getBoolean(1));
            case Fence.Whole whole ->
                trip.rows(WHOLE, p -> p.text(whole.projection()).number(whole.epoch()), row -> row.getBoolean(1));
        };
    }

    /**
     * Adds a statement that waits for other batches of the segment that have not ended. Later statements read what
     * these committed, so that it is not applied again.
     */
    public static void awaitOthers(StatementBatch trip, SchemaName schema, Fence.Segment held) {
        String lock = "spream segment %d of projection %s.%s".formatted(held.segment(), schema, held.projection());
        trip.rows(TAKE_ALONE, p -> p.text(lock), row -> row.getBoolean(1));
    }

    /** Returns the text whose hash is the key of the projection's advisory lock. */
    static String lockName(SchemaName schema, String projection) {
        return "spream projection %s.%s".formatted(schema, projection);
    }

    public static int segment(Fence fence) {
        return switch (fence) {
            case Fence.Segment held -> held.segment();
            case Fence.Whole whole -> NO_SEGMENT;
        };
    }
}
