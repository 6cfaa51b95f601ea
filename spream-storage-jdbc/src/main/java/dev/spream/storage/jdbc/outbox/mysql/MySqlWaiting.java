package dev.spream.storage.jdbc.outbox.mysql;

import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;

/** Reads what workers wait for, without locks and at the cost of a few index entries. */
record MySqlWaiting(OutboxDatabase database) {
    static final String NEXT_DUE = """
            SELECT TIMESTAMPDIFF(MICROSECOND, @now, o.due_at) AS due_in FROM @outbox o FORCE INDEX (due)
            WHERE o.destination = ? AND o.due_at > @now AND o.due_at < @never AND o.status IN ('pending', 'failed')
            ORDER BY o.due_at, o.id LIMIT 1""";

    /** Selects the destinations of unsettled entries without an ordering key: reads the last index entry of each. */
    static final String PLAIN = "SELECT destination FROM @outbox FORCE INDEX (due) GROUP BY destination HAVING MAX(due_at) IS NOT NULL";

    static final String DESTINATIONS = PLAIN + """

            UNION
            SELECT destination FROM @outbox FORCE INDEX (segment_order) WHERE open_segment >= 0 GROUP BY open_segment, destination""";

    Optional<Duration> nextDue(String destination) {
        return database.find(
                "looking for the next entry of " + database.tables(),
                NEXT_DUE,
                p -> p.text(destination),
                row -> Duration.of(Math.max(0, row.getLong("due_in")), ChronoUnit.MICROS));
    }

    Set<String> destinations() {
        return read(DESTINATIONS);
    }

    /** Returns the destinations of unsettled entries without an ordering key. */
    Set<String> plain() {
        return read(PLAIN);
    }

    private Set<String> read(String sql) {
        return Set.copyOf(database.rows(
                "reading the destinations of " + database.tables(), sql, p -> {}, row -> row.getString("destination")));
    }
}
