package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.OutboxFilter;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStatus;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.LedgerRows;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Reads entries and their requests in the ledger, without payloads. */
record OperationsRows(OutboxDatabase database) {
    /** Selects entries with the last generation of their requests. */
    static final String SELECT = """
            SELECT o.id AS entry_id, o.idempotency_key AS entry_key, o.generation AS entry_generation,
                o.request_digest AS entry_digest, o.status AS entry_status, o.attempts, o.last_error_code,
                o.last_error_msg, o.outcome_unknown, o.payload_type, o.destination, o.ordering_key, o.locked_by, o.lease_until,
                o.created_at AS entry_created, o.updated_at AS entry_updated, o.expires_at,
                o.status IN ('pending', 'failed') AND o.next_run_at = @never AS parked,
                CASE WHEN o.status IN ('pending', 'failed') AND o.next_run_at < @never THEN o.next_run_at END AS due_at,
                l.idempotency_key IS NOT NULL AS in_ledger, %s
            FROM @outbox o
            LEFT JOIN @ledger l ON l.idempotency_key = o.idempotency_key AND l.generation =
                (SELECT max(m.generation) FROM @ledger m WHERE m.idempotency_key = o.idempotency_key)""".formatted(LedgerRows.COLUMNS);

    private static final String BY_ID = SELECT + " WHERE o.id = ?";
    private static final String BY_KEY = SELECT + " WHERE o.idempotency_key = ?";
    private static final String PAYLOAD = "SELECT o.order_request_json AS payload FROM @outbox o WHERE o.id = ?";

    Optional<OutboxRow> find(long id) {
        return database.find(what(), BY_ID, p -> p.number(id), OperationsRows::read);
    }

    Optional<OutboxRow> find(String key) {
        return database.find(what(), BY_KEY, p -> p.text(key), OperationsRows::read);
    }

    Optional<String> payload(long id) {
        return database.find(what(), PAYLOAD, p -> p.number(id), row -> row.getString("payload"));
    }

    /** Finds an entry within the transaction of a change. */
    static Optional<OutboxRow> find(Statements transaction, long id) throws SQLException {
        return transaction.find(BY_ID, p -> p.number(id), OperationsRows::read);
    }

    List<OutboxRow> list(OutboxFilter filter) {
        List<String> conditions = new ArrayList<>(List.of("o.id > ?"));
        List<Database.Binder> values = new ArrayList<>(List.of(p -> p.number(filter.afterId())));
        if (!filter.statuses().isEmpty()) {
            conditions.add("o.status IN (%s)"
                    .formatted(String.join(
                            ", ", Collections.nCopies(filter.statuses().size(), "?"))));
            filter.statuses().forEach(status -> values.add(p -> p.text(status.text())));
        }
        if (filter.parkedOnly()) {
            conditions.add("o.status IN ('pending', 'failed') AND o.next_run_at = @never");
        }
        if (!filter.destination().isEmpty()) {
            conditions.add("o.destination = ?");
            values.add(p -> p.text(filter.destination()));
        }
        filter.orderingKey().ifPresent(key -> {
            conditions.add("o.ordering_key = ?");
            values.add(p -> p.text(key));
        });
        filter.reason().ifPresent(reason -> {
            conditions.add("o.last_error_code = ?");
            values.add(p -> p.text(reason.value()));
        });
        values.add(p -> p.number(filter.limit()));
        return database.rows(
                what(),
                "%s WHERE %s ORDER BY o.id LIMIT ?".formatted(SELECT, String.join(" AND ", conditions)),
                p -> bindAll(values, p),
                OperationsRows::read);
    }

    private static void bindAll(List<Database.Binder> values, Parameters parameters) throws SQLException {
        for (Database.Binder value : values) {
            value.bind(parameters);
        }
    }

    private String what() {
        return "reading entries of " + database.tables();
    }

    private static OutboxRow read(ResultSet row) throws SQLException {
        Optional<String> error = Optional.ofNullable(row.getString("last_error_code"));
        Optional<LedgerEntry> ledger =
                row.getBoolean("in_ledger") ? Optional.of(LedgerRows.read(row)) : Optional.empty();
        return new OutboxRow(
                row.getLong("entry_id"),
                row.getString("entry_key"),
                row.getInt("entry_generation"),
                row.getString("entry_digest"),
                OutboxStatus.of(row.getString("entry_status")),
                row.getInt("attempts"),
                error.map(LedgerRows::reason),
                Optional.ofNullable(row.getString("last_error_msg")),
                row.getBoolean("outcome_unknown"),
                row.getBoolean("parked"),
                Optional.ofNullable(row.getString("payload_type")),
                row.getString("destination"),
                Optional.ofNullable(row.getString("ordering_key")),
                JdbcTimestamps.optionalClock(row, "due_at"),
                Optional.ofNullable(row.getString("locked_by")),
                JdbcTimestamps.optionalClock(row, "lease_until"),
                JdbcTimestamps.clock(row, "entry_created"),
                JdbcTimestamps.clock(row, "entry_updated"),
                JdbcTimestamps.optionalClock(row, "expires_at"),
                ledger);
    }
}
