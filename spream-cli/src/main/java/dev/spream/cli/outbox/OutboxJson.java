package dev.spream.cli.outbox;

import dev.spream.cli.output.Members;
import dev.spream.cli.panel.OutboxMembers;
import dev.spream.core.record.JsonObject;
import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.ReasonCode;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Entries and numbers of an outbox as JSON objects. Times are RFC 3339, durations seconds; missing values are absent.
 */
final class OutboxJson {
    private OutboxJson() {}

    static String stats(OutboxStats stats) {
        return OutboxMembers.stats(stats).toString();
    }

    static String row(OutboxRow row) {
        return members(row, false).toString();
    }

    /**
     * Returns an entry with its audit.
     *
     * @param open whether payload and response are included
     */
    static String whole(OutboxRow row, List<AuditEntry> audit, boolean open, Optional<String> payload) {
        Members members = members(row, open).list("audit", audit, OutboxJson::audit);
        payload.ifPresent(text -> members.put("payload", value(text)));
        return members.toString();
    }

    /**
     * Returns the records of a purged entry.
     *
     * @param open whether the response is included
     */
    static String purged(PurgedEntry gone, boolean open) {
        return new Members()
                .put("id", gone.id())
                .put("idempotency_key", gone.key())
                .put("ledger", gone.ledger().map(entry -> ledger(entry, open)))
                .list("audit", gone.audit(), OutboxJson::audit)
                .toString();
    }

    private static Members members(OutboxRow row, boolean open) {
        return new Members()
                .put("id", row.id())
                .put("idempotency_key", row.idempotencyKey())
                .put("generation", row.generation())
                .put("request_digest", row.requestDigest())
                .put("status", row.status().text())
                .put("parked", row.parked())
                .put("outcome_unknown", row.outcomeUnknown())
                .put("attempts", row.attempts())
                .put("last_error_code", row.lastError().map(ReasonCode::value))
                .put("last_error_message", row.lastErrorMessage())
                .put("destination", Optional.of(row.destination()).filter(name -> !name.isEmpty()))
                .put("payload_type", row.payloadType())
                .put("ordering_key", row.orderingKey())
                .put("next_run_at", row.nextRunAt())
                .put("owner", row.owner())
                .put("lease_until", row.leaseUntil())
                .put("created_at", row.createdAt())
                .put("updated_at", row.updatedAt())
                .put("expires_at", row.expiresAt())
                .put("ledger", row.ledger().map(entry -> ledger(entry, open)));
    }

    private static Members ledger(LedgerEntry entry, boolean open) {
        Members members = new Members()
                .put("generation", entry.generation())
                .put("request_digest", entry.requestDigest())
                .put("status", entry.status().text())
                .put("http_status", entry.result().map(LedgerResult::httpStatus))
                .put("reason_code", entry.result().flatMap(LedgerResult::reason).map(ReasonCode::value));
        if (open) {
            entry.result()
                    .flatMap(LedgerResult::responsePayload)
                    .ifPresent(text -> members.put("response", value(text)));
        }
        return members.put("created_at", entry.createdAt()).put("settled_at", entry.settledAt());
    }

    private static Members audit(AuditEntry entry) {
        return new Members()
                .put("at", entry.at())
                .put("actor", entry.actor())
                .put("action", entry.action())
                .put("outcome", entry.outcome())
                .put("reason", entry.reason());
    }

    private static @Nullable Object value(String json) {
        return JsonObject.of("{\"value\":%s}".formatted(json)).get("value");
    }
}
