package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;

/** Reads what workers wait for, without locks and at the cost of a few index entries. */
record WaitingEntries(OutboxDatabase database) {
    static final String NEXT_DUE = """
            SELECT ceil(extract(epoch FROM o.next_run_at - (SELECT clock_timestamp())) * 1000000)::bigint AS due_in
            FROM @outbox o
            WHERE o.status IN ('pending', 'failed') AND o.segment IS NULL AND o.destination = ?
                AND o.next_run_at > (SELECT clock_timestamp()) AND o.next_run_at < 'infinity'
            ORDER BY o.next_run_at, o.id LIMIT 1""";

    /** The destinations of waiting entries without an ordering key: steps from each to the next one. */
    static final String RECEIVERS = """

                (SELECT o.destination FROM @outbox o WHERE o.status IN ('pending', 'failed') AND o.segment IS NULL
                ORDER BY o.destination, o.next_run_at, o.id LIMIT 1)
                UNION ALL
                SELECT next.destination FROM receiver CROSS JOIN LATERAL (
                    SELECT o.destination FROM @outbox o
                    WHERE o.status IN ('pending', 'failed') AND o.segment IS NULL AND o.destination > receiver.destination
                    ORDER BY o.destination, o.next_run_at, o.id LIMIT 1) AS next""";

    static final String DESTINATIONS = """
            WITH RECURSIVE receiver AS (%s
            ), segmented AS (
                SELECT l.segment, first.destination FROM generate_series(0, 255) AS l (segment) CROSS JOIN LATERAL (
                    SELECT o.destination FROM @outbox o
                    WHERE o.status IN ('pending', 'sending', 'failed') AND o.segment = l.segment
                    ORDER BY o.destination, o.id LIMIT 1) AS first
                UNION ALL
                SELECT segmented.segment, next.destination FROM segmented CROSS JOIN LATERAL (
                    SELECT o.destination FROM @outbox o
                    WHERE o.status IN ('pending', 'sending', 'failed') AND o.segment = segmented.segment
                        AND o.destination > segmented.destination
                    ORDER BY o.destination, o.id LIMIT 1) AS next
            )
            SELECT destination FROM receiver
            UNION SELECT destination FROM segmented
            UNION SELECT o.destination FROM @outbox o WHERE o.status = 'sending'""".formatted(RECEIVERS);

    Optional<Duration> nextDue(String destination) {
        return database.find(
                "looking for the next entry of " + database.tables(),
                NEXT_DUE,
                p -> p.text(destination),
                WaitingEntries::dueIn);
    }

    private static Duration dueIn(ResultSet row) throws SQLException {
        return Duration.of(Math.max(0, row.getLong("due_in")), ChronoUnit.MICROS);
    }

    Set<String> destinations() {
        return Set.copyOf(database.rows(
                "reading the destinations of " + database.tables(),
                DESTINATIONS,
                p -> {},
                row -> row.getString("destination")));
    }
}
