package dev.spream.cli;

import dev.spream.core.record.JsonObject;
import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An outbox for programs: one object each. Times are RFC 3339, durations seconds; what there is not is absent. */
final class OutboxJson {
    private static final double MILLIS = 1_000;

    private OutboxJson() {}

    static String stats(OutboxStats stats) {
        Map<String, @Nullable Object> entries = new LinkedHashMap<>();
        for (OutboxStatus status : OutboxStatus.values()) {
            entries.put(status.text(), stats.entries().getOrDefault(status, 0L));
        }
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("at", stats.at().toString());
        members.put("entries", entries);
        members.put("due", stats.due());
        stats.oldestDue().ifPresent(since -> members.put("oldest_due", since.toString()));
        members.put("lag_seconds", stats.lag().toMillis() / MILLIS);
        members.put("parked", stats.parked());
        members.put("parked_unknown", stats.parkedUnknown());
        members.put("leases_expired", stats.leasesExpired());
        members.put("estimated", texts(stats.estimated().stream().map(OutboxStatus::text)));
        members.put("at_least", texts(stats.atLeast().stream().map(OutboxJson::member)));
        return JsonObject.of(members).toString();
    }

    private static List<String> texts(Stream<String> texts) {
        return texts.sorted().toList();
    }

    /** Which member a number is. */
    private static String member(OutboxStats.Figure figure) {
        return switch (figure) {
            case DUE -> "due";
            case LAG -> "lag_seconds";
            case LEASES_EXPIRED -> "leases_expired";
            case PARKED -> "parked";
        };
    }

    static String row(OutboxRow row) {
        return JsonObject.of(members(row, false)).toString();
    }

    /**
     * With the audit.
     *
     * @param open whether what was sent and answered may be seen
     */
    static String whole(OutboxRow row, List<AuditEntry> audit, boolean open, Optional<String> payload) {
        Map<String, @Nullable Object> members = members(row, open);
        members.put("audit", audit.stream().map(OutboxJson::audit).toList());
        payload.ifPresent(text -> members.put("payload", value(text)));
        return JsonObject.of(members).toString();
    }

    /**
     * What is known of an entry that is not there.
     *
     * @param open whether what was answered may be seen
     */
    static String gone(GoneEntry gone, boolean open) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        gone.id().ifPresent(id -> members.put("id", id));
        gone.key().ifPresent(key -> members.put("idempotency_key", key));
        gone.ledger().ifPresent(entry -> members.put("ledger", ledger(entry, open)));
        members.put("audit", gone.audit().stream().map(OutboxJson::audit).toList());
        return JsonObject.of(members).toString();
    }

    private static Map<String, @Nullable Object> members(OutboxRow row, boolean open) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("id", row.id());
        members.put("idempotency_key", row.idempotencyKey());
        members.put("generation", row.generation());
        members.put("request_digest", row.requestDigest());
        members.put("status", row.status().text());
        members.put("parked", row.parked());
        members.put("outcome_unknown", row.outcomeUnknown());
        members.put("attempts", row.attempts());
        row.lastError().ifPresent(code -> members.put("last_error_code", code.value()));
        row.lastErrorMessage().ifPresent(message -> members.put("last_error_message", message));
        row.orderingKey().ifPresent(key -> members.put("ordering_key", key));
        row.nextRunAt().ifPresent(at -> members.put("next_run_at", at.toString()));
        row.owner().ifPresent(owner -> members.put("owner", owner));
        row.leaseUntil().ifPresent(at -> members.put("lease_until", at.toString()));
        members.put("created_at", row.createdAt().toString());
        members.put("updated_at", row.updatedAt().toString());
        row.expiresAt().ifPresent(at -> members.put("expires_at", at.toString()));
        row.ledger().ifPresent(entry -> members.put("ledger", ledger(entry, open)));
        return members;
    }

    private static Map<String, @Nullable Object> ledger(LedgerEntry entry, boolean open) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("generation", entry.generation());
        members.put("request_digest", entry.requestDigest());
        members.put("status", entry.status().text());
        entry.result().ifPresent(result -> {
            members.put("http_status", result.httpStatus());
            result.reason().ifPresent(code -> members.put("reason_code", code.value()));
        });
        if (open) {
            entry.result()
                    .flatMap(LedgerResult::responsePayload)
                    .ifPresent(text -> members.put("response", value(text)));
        }
        members.put("created_at", entry.createdAt().toString());
        entry.settledAt().ifPresent(at -> members.put("settled_at", at.toString()));
        return members;
    }

    private static Map<String, @Nullable Object> audit(AuditEntry entry) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("at", entry.at().toString());
        members.put("actor", entry.actor());
        members.put("action", entry.action());
        members.put("outcome", entry.outcome());
        members.put("reason", entry.reason());
        return members;
    }

    /** Any value of JSON. */
    private static @Nullable Object value(String json) {
        return JsonObject.of("{\"value\":%s}".formatted(json)).get("value");
    }
}
