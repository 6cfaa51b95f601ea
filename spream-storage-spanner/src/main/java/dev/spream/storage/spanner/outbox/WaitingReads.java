package dev.spream.storage.spanner.outbox;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.Value;
import dev.spream.outbox.OutboxStatus;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads what workers wait for, without locks and from a few rows of indexes. */
record WaitingReads(SpannerOutboxDatabase database) {

    Optional<Duration> nextDue(String destination) {
        OutboxSchema tables = database.tables();
        String waiting = "%s = %s AND %s > CURRENT_TIMESTAMP AND %s <> '%s'"
                .formatted(
                        tables.quoted("Destination"),
                        tables.parameter(1),
                        tables.quoted("DueAt"),
                        tables.quoted("State"),
                        OutboxStatus.SENDING.text());
        return database
                .read(
                        "looking for the next entry",
                        context -> Rows.all(
                                context.executeQuery(database.earliest(
                                        tables.entries(),
                                        tables.due(),
                                        "DueShard",
                                        "DueAt",
                                        "Id",
                                        waiting,
                                        List.of(Value.string(destination)),
                                        1)),
                                row -> Duration.between(
                                        requireNonNull(Rows.time(row, "Now")),
                                        requireNonNull(Rows.time(row, "DueAt")))))
                .stream()
                .findFirst();
    }

    /** Steps from each destination to the next one. */
    Set<String> destinations() {
        return database.readAtOnce("reading destinations", context -> {
            Set<String> found = new HashSet<>();
            Optional<String> next = first(context, ">=", "");
            while (next.isPresent()) {
                found.add(next.get());
                next = first(context, ">", next.get());
            }
            return found;
        });
    }

    /** Returns the first destination of unsettled entries that compares so with the given one. */
    private Optional<String> first(ReadContext context, String operator, String destination) {
        OutboxSchema tables = database.tables();
        String name = tables.quoted("Destination");
        String query = EntryColumns.UNSETTLED.stream()
                .map(state -> "(SELECT %s FROM %s WHERE %s = '%s' AND %s %s %s ORDER BY %s LIMIT 1)"
                        .formatted(
                                name,
                                tables.using(tables.entries(), tables.byState()),
                                tables.quoted("State"),
                                state,
                                name,
                                operator,
                                tables.parameter(1),
                                name))
                .collect(Collectors.joining(" UNION ALL "));
        return Rows.all(
                        context.executeQuery(Rows.bound(query, List.of(Value.string(destination)))),
                        row -> row.getString(0))
                .stream()
                .min(Comparator.naturalOrder());
    }
}
