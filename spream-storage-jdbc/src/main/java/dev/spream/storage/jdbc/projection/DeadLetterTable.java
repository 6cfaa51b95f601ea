package dev.spream.storage.jdbc.projection;

import dev.spream.core.record.JsonObject;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.projection.internal.EventColumns;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StoredKeys;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The table of dead letters: events that were skipped, and input that could not be read as events. */
record DeadLetterTable(ProjectionDatabase database) {
    /** Returns no row if the projection does not exist. */
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
            WHERE e.projection = ? AND e.key = ? AND e.event_version = ?
                AND NOT EXISTS (
                    SELECT FROM @projection_dead_letters d
                    WHERE d.projection = e.projection AND d.kind = 'SKIPPED'
                        AND d.aggregate_id = p.aggregate_id AND d.event_version = e.event_version)""".formatted(EventColumns.NAMES);

    private static final String SKIPPED_VERSIONS = """
            SELECT d.aggregate_id, d.event_version FROM @projection_dead_letters d
            WHERE d.projection = ? AND d.kind = 'SKIPPED'""";

    private static final String LIST = """
            SELECT d.id, d.kept_at, d.kind, d.reason, d.aggregate_id, d.origin, d.bytes, d.attributes, %s
            FROM @projection_dead_letters d WHERE d.projection = ? ORDER BY d.id DESC LIMIT ?""".formatted(EventColumns.NAMES);

    private static final String SKIPPED = "SKIPPED";

    void keep(String projection, FeedItem.Undecodable item) {
        String what = "storing a dead letter of projection '%s'".formatted(projection);
        boolean known = !database.rows(
                        what,
                        KEEP,
                        p -> p.text(projection)
                                .text(Parameters.storable(item.reason()))
                                .text(Parameters.storable(item.origin()))
                                .text(StoredKeys.of(item.origin()))
                                .text(hex(item.bytes()))
                                .text(JsonObject.of(item.attributes()).toString())
                                .decimal(JdbcTimestamps.exact(item.at())),
                        row -> true)
                .isEmpty();
        if (!known) {
            throw ProjectionDatabase.unknown(what, projection);
        }
    }

    /** Returns the most recently stored dead letters. */
    List<ProjectionDeadLetter> list(String projection, int limit) {
        return database.rows(
                "listing dead letters of projection '%s'".formatted(projection),
                LIST,
                p -> p.text(projection).number(limit),
                DeadLetterTable::read);
    }

    private static ProjectionDeadLetter read(ResultSet row) throws SQLException {
        long id = row.getLong("id");
        Instant keptAt = JdbcTimestamps.clock(row, "kept_at");
        String reason = row.getString("reason");
        if (row.getString("kind").equals(SKIPPED)) {
            EventEnvelope event = EventColumns.read(row.getString("aggregate_id"), row);
            return new ProjectionDeadLetter.Skipped(id, keptAt, reason, event);
        }
        return new ProjectionDeadLetter.Undecodable(
                id,
                keptAt,
                new FeedItem.Undecodable(
                        id,
                        row.getString("origin"),
                        ByteBuffer.wrap(row.getBytes("bytes")),
                        attributes(JsonObject.of(row.getString("attributes"))),
                        reason,
                        JdbcTimestamps.instant(row.getBigDecimal("occurred_at"))));
    }

    private static Map<String, String> attributes(JsonObject json) {
        Map<String, String> attributes = new HashMap<>();
        json.members()
                .keySet()
                .forEach(name -> attributes.put(name, json.string(name).orElse("")));
        return attributes;
    }

    private static String hex(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return HexFormat.of().formatHex(copy);
    }

    Map<String, Set<Long>> skipped(String projection) {
        Map<String, Set<Long>> skipped = new HashMap<>();
        database.rows(
                        "reading the skipped events of projection '%s'".formatted(projection),
                        SKIPPED_VERSIONS,
                        p -> p.text(projection),
                        row -> Map.entry(row.getString("aggregate_id"), row.getLong("event_version")))
                .forEach(event -> skipped.computeIfAbsent(event.getKey(), first -> new HashSet<>())
                        .add(event.getValue()));
        return skipped;
    }

    /**
     * Skips the first event of a parked key, whose row is locked. An event that the previous version skipped has a dead
     * letter already.
     */
    static void skip(ProjectionTransaction transaction, String projection, String key, long version)
            throws SQLException {
        transaction.update(SKIP, p -> p.text(projection).text(key).number(version));
    }
}
