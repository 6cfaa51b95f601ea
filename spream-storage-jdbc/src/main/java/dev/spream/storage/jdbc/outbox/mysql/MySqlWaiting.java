package dev.spream.storage.jdbc.outbox.mysql;

import static java.util.stream.Collectors.toSet;

import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** Reads what workers wait for, without locks and at the cost of a few index entries. */
record MySqlWaiting(OutboxDatabase database) {
    static final String NEXT_DUE = """
            SELECT TIMESTAMPDIFF(MICROSECOND, @now, o.due_at) AS due_in FROM @outbox o FORCE INDEX (due)
            WHERE o.destination = ? AND o.due_at > @now AND o.due_at < @never AND o.status IN ('pending', 'failed')
            ORDER BY o.due_at, o.id LIMIT 1""";

    static final String NEXT_DESTINATION = "SELECT MIN(destination) AS destination FROM @outbox WHERE destination > ?";

    /** Looks for an unsettled entry without an ordering key, and for one in each segment. */
    static final String UNSETTLED = """
            SELECT EXISTS (SELECT 1 FROM @outbox o FORCE INDEX (due) WHERE o.destination = ? AND o.due_at > '1000-01-01')
                OR EXISTS (SELECT 1 FROM @segments s STRAIGHT_JOIN @outbox o FORCE INDEX (segment_order)
                    ON o.open_segment = s.segment AND o.destination = ?) AS unsettled""";

    Optional<Duration> nextDue(String destination) {
        return database.find(
                "looking for the next entry of " + database.tables(),
                NEXT_DUE,
                p -> p.text(destination),
                row -> Duration.of(Math.max(0, row.getLong("due_in")), ChronoUnit.MICROS));
    }

    Set<String> destinations() {
        return known().stream().filter(this::hasUnsettled).collect(toSet());
    }

    private boolean hasUnsettled(String destination) {
        return database.row(
                what(), UNSETTLED, p -> p.text(destination).text(destination), row -> row.getBoolean("unsettled"));
    }

    /** Returns the destinations of all entries, settled or not, and that of entries without one: steps from each to the next. */
    Set<String> known() {
        Set<String> known = new LinkedHashSet<>();
        Optional<String> next = Optional.of("");
        while (next.isPresent()) {
            String last = next.get();
            known.add(last);
            next = database.row(
                    what(),
                    NEXT_DESTINATION,
                    p -> p.text(last),
                    row -> Optional.ofNullable(row.getString("destination")));
        }
        return known;
    }

    private String what() {
        return "reading the destinations of " + database.tables();
    }
}
