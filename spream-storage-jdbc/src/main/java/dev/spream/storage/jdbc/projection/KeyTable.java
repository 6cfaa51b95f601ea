package dev.spream.storage.jdbc.projection;

import dev.spream.core.record.Json;
import dev.spream.projection.AggregateState;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import dev.spream.storage.jdbc.projection.internal.StoredKeys;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The table of the states of aggregates. A batch of a segment is the only writer of its keys, except for parked ones,
 * which are retried concurrently: their rows are locked before their state is used. Without segments all rows are
 * locked.
 */
final class KeyTable {
    static final String READ =
            "SELECT key, last_version, parked FROM @projection_keys WHERE projection = (SELECT ?) AND key = ANY ((SELECT ?::text[])::text[])";

    static final String LOCK = READ + " ORDER BY key FOR NO KEY UPDATE";

    /**
     * Inserts missing rows so that they can be locked. The statement waits for transactions that are inserting the same
     * rows; since all transactions begin with it and insert in the order of the keys, they do not deadlock.
     */
    static final String ADD = """
            INSERT INTO @projection_keys (projection, key, last_version, parked)
            SELECT ?, a.key, 0, false FROM unnest((SELECT ?::text[])) AS a (key) ORDER BY a.key COLLATE "C"
            ON CONFLICT DO NOTHING""";

    static final String WRITE = """
            INSERT INTO @projection_keys AS k (projection, key, last_version, parked)
            SELECT ?, a.key, a.last_version, a.parked
            FROM unnest((SELECT ?::text[]), (SELECT ?::bigint[]), (SELECT ?::boolean[])) AS a (key, last_version, parked)
            ORDER BY a.key COLLATE "C"
            ON CONFLICT (projection, key) DO UPDATE SET last_version = excluded.last_version, parked = excluded.parked""";

    /**
     * Writes versions of existing rows, in half the time of {@link #WRITE} and with half of its log. The versions are an
     * object rather than a table to join: for a projection that the server's statistics do not contain, it would expect
     * one row, and compare each key with each.
     */
    static final String ADVANCE = """
            UPDATE @projection_keys SET last_version = ((SELECT ?::jsonb) ->> key)::bigint
            WHERE projection = (SELECT ?) AND key = ANY ((SELECT ?::text[])::text[])""";

    private KeyTable() {}

    record Row(String key, AggregateState state) {
        static Row read(ResultSet row) throws SQLException {
            return new Row(
                    row.getString("key"), new AggregateState(row.getLong("last_version"), row.getBoolean("parked")));
        }
    }

    /** Adds the query of these keys, by their stored form; their rows are not locked. */
    static List<Row> read(StatementBatch trip, String projection, Collection<String> keys) {
        return trip.rows(READ, p -> p.text(projection).texts(keys), Row::read);
    }

    /** Adds the query of these keys; it locks all of their rows, new ones included. */
    static List<Row> lockAll(StatementBatch trip, String projection, Collection<String> keys) {
        trip.update(ADD, p -> p.text(projection).texts(keys));
        return lock(trip, projection, keys);
    }

    static List<Row> lock(StatementBatch trip, String projection, Collection<String> keys) {
        return trip.rows(LOCK, p -> p.text(projection).texts(keys), Row::read);
    }

    /** Locks the rows of parked aggregates, and returns their state as locked. */
    static List<Row> lockParked(ProjectionTransaction transaction, String projection, List<Row> rows)
            throws SQLException {
        List<String> parked =
                rows.stream().filter(row -> row.state().parked()).map(Row::key).toList();
        if (parked.isEmpty()) {
            return rows;
        }
        StatementBatch trip = transaction.next();
        List<Row> locked = lock(trip, projection, parked);
        trip.run();
        Map<String, Row> now = new HashMap<>();
        locked.forEach(row -> now.put(row.key(), row));
        return rows.stream().map(row -> now.getOrDefault(row.key(), row)).toList();
    }

    /**
     * Adds the writing of these states, by aggregate id.
     *
     * @param found the rows of the batch, which no other transaction can change until the end of this one
     */
    static void write(StatementBatch trip, String projection, List<Row> found, Map<String, AggregateState> states) {
        Map<String, Boolean> parked = HashMap.newHashMap(found.size());
        found.forEach(row -> parked.put(row.key(), row.state().parked()));
        SortedMap<String, Long> advanced = new TreeMap<>();
        SortedMap<String, AggregateState> others = new TreeMap<>();
        states.forEach((id, state) -> {
            String key = StoredKeys.of(id);
            if (Objects.equals(parked.get(key), state.parked())) {
                advanced.put(key, state.lastVersion());
            } else {
                others.put(key, state);
            }
        });
        if (!advanced.isEmpty()) {
            trip.update(
                    ADVANCE, p -> p.text(Json.text(advanced)).text(projection).texts(advanced.keySet()));
        }
        if (!others.isEmpty()) {
            trip.update(
                    WRITE,
                    p -> p.text(projection)
                            .texts(others.keySet())
                            .numbers(others.values(), AggregateState::lastVersion)
                            .flags(others.values(), AggregateState::parked));
        }
    }
}
