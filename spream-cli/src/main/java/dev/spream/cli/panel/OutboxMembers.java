package dev.spream.cli.panel;

import dev.spream.cli.output.Members;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import java.util.List;
import java.util.stream.Stream;

/** The state of an outbox as JSON. Times are RFC 3339, durations seconds; missing values are absent. */
public final class OutboxMembers {
    private static final double MILLIS = 1_000;

    private OutboxMembers() {}

    public static Members stats(OutboxStats stats) {
        Members entries = new Members();
        for (OutboxStatus status : OutboxStatus.values()) {
            entries.put(status.text(), stats.entries().getOrDefault(status, 0L));
        }
        return new Members()
                .put("at", stats.at())
                .put("entries", entries)
                .put("due", stats.due())
                .put("oldest_due", stats.oldestDue())
                .put("lag_seconds", stats.lag().toMillis() / MILLIS)
                .put("parked", stats.parked())
                .put("parked_unknown", stats.parkedUnknown())
                .put("leases_expired", stats.leasesExpired())
                .put("estimated", texts(stats.estimated().stream().map(OutboxStatus::text)))
                .put("at_least", texts(stats.atLeast().stream().map(OutboxMembers::member)));
    }

    private static List<String> texts(Stream<String> texts) {
        return texts.sorted().toList();
    }

    /** Returns the member name of a number. */
    private static String member(OutboxStats.Figure figure) {
        return switch (figure) {
            case DUE -> "due";
            case LAG -> "lag_seconds";
            case LEASES_EXPIRED -> "leases_expired";
            case PARKED -> "parked";
        };
    }

    /** Returns an entry without its keys, and without the message of its last error, which a receiver wrote. */
    static Members entry(OutboxRow row) {
        return new Members()
                .put("id", row.id())
                .put("status", row.status().text())
                .put("parked", row.parked())
                .put("outcome_unknown", row.outcomeUnknown())
                .put("attempts", row.attempts())
                .put("last_error_code", row.lastError().map(ReasonCode::value))
                .put("created_at", row.createdAt())
                .put("updated_at", row.updatedAt());
    }
}
