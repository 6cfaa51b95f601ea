package dev.spream.storage.jdbc.projection;

import dev.spream.core.event.FeedItem;
import dev.spream.core.record.JsonObject;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.HexFormat;

/** What no projection applied: events that were skipped, and what came instead of events. */
final class DeadLetterTable {
    /** No row comes back if there is no such projection. */
    private static final String KEEP = """
            WITH known AS (SELECT p.projection_name FROM @projection_states p WHERE p.projection_name = ?),
            kept AS (
                INSERT INTO @projection_dead_letters
                    (projection, kind, kept_at, reason, origin, origin_key, bytes, attributes, occurred_at)
                SELECT k.projection_name, 'UNDECODABLE', clock_timestamp(), ?, ?, ?, decode(?, 'hex'), ?::json, ?
                FROM known k
                ON CONFLICT DO NOTHING
            )
            SELECT true FROM known""";

    private static final String SKIP = """
            INSERT INTO @projection_dead_letters (projection, kind, kept_at, reason, aggregate_id, %1$s)
            SELECT e.projection, 'SKIPPED', clock_timestamp(), p.error, p.aggregate_id, %1$s
            FROM @projection_parked_events e JOIN @projection_parked_keys p USING (projection, key)
            WHERE e.projection = ? AND e.key = ? AND e.event_version = ?""".formatted(EventColumns.NAMES);

    private final ProjectionDatabase database;

    DeadLetterTable(ProjectionDatabase database) {
        this.database = database;
    }

    void keep(String projection, FeedItem.Undecodable item) {
        String what = "keeping a dead letter of projection '%s'".formatted(projection);
        boolean known = !database.rows(
                        what,
                        KEEP,
                        p -> p.text(projection)
                                .text(EventColumns.storable(item.reason()))
                                .text(EventColumns.storable(item.origin()))
                                .text(StoredKeys.of(item.origin()))
                                .text(hex(item.bytes()))
                                .text(JsonObject.of(item.attributes()).toString())
                                .decimal(EventColumns.exact(item.at())),
                        row -> true)
                .isEmpty();
        if (!known) {
            throw StateTable.unknown(what, projection);
        }
    }

    private static String hex(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return HexFormat.of().formatHex(copy);
    }

    /** The first event of a parked key, whose row is held. */
    static void skip(ProjectionTransaction transaction, String projection, String key, long version)
            throws SQLException {
        transaction
                .next()
                .update(SKIP, p -> p.text(projection).text(key).number(version))
                .run();
    }
}
