package dev.spream.cli.outbox;

import dev.spream.cli.output.Columns;
import dev.spream.cli.output.Figures;
import dev.spream.cli.output.PlainText;
import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Formats an outbox for display. */
final class OutboxPrinter {
    private static final String NONE = "-";

    private OutboxPrinter() {}

    static List<String> stats(OutboxStats stats) {
        List<List<String>> rows = new ArrayList<>();
        for (OutboxStatus status : OutboxStatus.values()) {
            String about = stats.estimated().contains(status) ? "about " : "";
            rows.add(
                    List.of(status.text(), about + Figures.count(stats.entries().getOrDefault(status, 0L))));
        }
        rows.add(List.of("due", atLeast(stats, OutboxStats.Figure.DUE) + Figures.count(stats.due()) + oldest(stats)));
        rows.add(List.of(
                "parked",
                atLeast(stats, OutboxStats.Figure.PARKED)
                        + Figures.count(stats.parked())
                        + (stats.parkedUnknown() == 0
                                ? ""
                                : ", of which %s may have reached the receiver"
                                        .formatted(Figures.count(stats.parkedUnknown())))));
        rows.add(List.of(
                "lease expired",
                atLeast(stats, OutboxStats.Figure.LEASES_EXPIRED) + Figures.count(stats.leasesExpired())));
        return Columns.align(rows);
    }

    private static String oldest(OutboxStats stats) {
        return stats.oldestDue().isEmpty()
                ? ""
                : ", the oldest for " + atLeast(stats, OutboxStats.Figure.LAG) + Figures.duration(stats.lag());
    }

    private static String atLeast(OutboxStats stats, OutboxStats.Figure figure) {
        return stats.atLeast().contains(figure) ? "at least " : "";
    }

    static List<String> table(List<OutboxRow> entries) {
        return Columns.table(
                List.of("ID", "STATUS", "ATTEMPTS", "WHEN", "ERROR", "KEY", "DESTINATION", "ORDERING KEY"),
                entries,
                row -> List.of(
                        Long.toString(row.id()),
                        row.parked() ? "parked" : row.status().text(),
                        Integer.toString(row.attempts()),
                        when(row),
                        error(row).map(Object::toString).orElse(NONE),
                        PlainText.of(row.idempotencyKey()),
                        row.destination().isEmpty() ? NONE : row.destination(),
                        row.orderingKey().map(PlainText::of).orElse(NONE)));
    }

    /** Returns the next step with its time, or the time of the end. */
    private static String when(OutboxRow row) {
        return switch (row.status()) {
            case PENDING, FAILED ->
                row.nextRunAt().map(due -> "due " + Figures.seconds(due)).orElse("waits for an operator");
            case SENDING ->
                row.leaseUntil().map(until -> "until " + Figures.seconds(until)).orElse(NONE);
            case SUCCEEDED, ABORTED -> "since " + Figures.seconds(row.updatedAt());
        };
    }

    static String state(OutboxRow row) {
        return "%s, generation %d%s"
                .formatted(
                        row.parked() ? "parked" : row.status().text(),
                        row.generation(),
                        error(row).map(" (%s)"::formatted).orElse(""));
    }

    /** Returns the last error while it explains the state; empty after success or a new start. */
    private static Optional<ReasonCode> error(OutboxRow row) {
        return switch (row.status()) {
            case SENDING, FAILED, ABORTED -> row.lastError();
            case PENDING -> row.lastError().filter(code -> row.parked());
            case SUCCEEDED -> Optional.empty();
        };
    }

    /**
     * Returns all of an entry.
     *
     * @param open whether payload and response are included
     */
    static List<String> whole(OutboxRow row, List<AuditEntry> audit, boolean open, Optional<String> payload) {
        List<List<String>> facts = new ArrayList<>();
        add(facts, "id", Long.toString(row.id()));
        add(facts, "key", row.idempotencyKey());
        add(facts, "generation", Integer.toString(row.generation()));
        add(facts, "digest", row.requestDigest());
        add(facts, "status", status(row));
        add(facts, "attempts", Integer.toString(row.attempts()));
        row.lastError().ifPresent(error -> add(facts, "last error", error(row, error.value())));
        if (!row.destination().isEmpty()) {
            add(facts, "destination", row.destination());
        }
        row.payloadType().ifPresent(type -> add(facts, "payload type", type));
        row.orderingKey().ifPresent(key -> add(facts, "ordering key", key));
        row.nextRunAt().ifPresent(due -> add(facts, "due", due.toString()));
        row.owner().ifPresent(owner -> add(facts, "worker", owner));
        row.leaseUntil().ifPresent(until -> add(facts, "lease until", until.toString()));
        add(facts, "created", row.createdAt().toString());
        add(facts, "updated", row.updatedAt().toString());
        row.expiresAt().ifPresent(at -> add(facts, "expires", at.toString()));
        add(facts, "ledger", row.ledger().map(OutboxPrinter::ledger).orElse("has no record of this key"));
        if (open) {
            response(facts, row.ledger());
            add(facts, "payload", payload.orElse(NONE));
        }
        audit.forEach(entry -> add(facts, "operator", audit(entry)));
        return Columns.align(facts);
    }

    /**
     * Returns the records of a purged entry.
     *
     * @param open whether the response is included
     */
    static List<String> purged(PurgedEntry gone, boolean open) {
        List<List<String>> facts = new ArrayList<>();
        gone.id().ifPresent(id -> add(facts, "id", Long.toString(id)));
        gone.key().ifPresent(key -> add(facts, "key", key));
        add(facts, "entry", "not in the outbox, or purged");
        add(facts, "ledger", gone.ledger().map(OutboxPrinter::ledger).orElse("has no record of this key"));
        if (open) {
            response(facts, gone.ledger());
        }
        gone.audit().forEach(entry -> add(facts, "operator", audit(entry)));
        return Columns.align(facts);
    }

    private static void response(List<List<String>> facts, Optional<LedgerEntry> ledger) {
        ledger.flatMap(LedgerEntry::result)
                .flatMap(LedgerResult::responsePayload)
                .ifPresent(answer -> add(facts, "response", answer));
    }

    private static void add(List<List<String>> facts, String name, String value) {
        facts.add(List.of(name, PlainText.of(value)));
    }

    private static String status(OutboxRow row) {
        return (row.parked()
                        ? "parked: it waits for an operator's decision"
                        : row.status().text())
                + (row.outcomeUnknown() ? "; it may have reached the receiver" : "");
    }

    private static String error(OutboxRow row, String code) {
        return code + row.lastErrorMessage().map(": "::concat).orElse("");
    }

    private static String ledger(LedgerEntry entry) {
        return entry.result()
                .map(result -> "generation %d %s, HTTP %d%s, since %s"
                        .formatted(
                                entry.generation(),
                                result.status().text(),
                                result.httpStatus(),
                                result.reason().map(" %s"::formatted).orElse(""),
                                entry.settledAt().map(Figures::seconds).orElse(Instant.EPOCH)))
                .orElseGet(() -> "generation %d in progress, since %s"
                        .formatted(entry.generation(), Figures.seconds(entry.createdAt())));
    }

    private static String audit(AuditEntry entry) {
        return "%s %s by %s: %s%s"
                .formatted(
                        Figures.seconds(entry.at()),
                        entry.action(),
                        entry.actor(),
                        entry.outcome(),
                        entry.reason().isEmpty() ? "" : "; " + entry.reason());
    }
}
