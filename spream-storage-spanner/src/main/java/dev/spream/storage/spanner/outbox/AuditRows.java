package dev.spream.storage.spanner.outbox;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.Struct;
import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.OperatorAction;
import java.util.List;
import java.util.UUID;

/** The audit of operator actions. */
final class AuditRows {
    static final List<String> DECLARATIONS = List.of(
            "EntryId INT64 NOT NULL",
            "At TIMESTAMP NOT NULL",
            "Id STRING(MAX) NOT NULL",
            "Actor STRING(MAX) NOT NULL",
            "Action STRING(MAX) NOT NULL",
            "IdempotencyKey STRING(MAX) NOT NULL",
            "Outcome STRING(MAX) NOT NULL",
            "Reason STRING(MAX) NOT NULL");

    private AuditRows() {}

    /** Records an action on one entry. */
    static void add(OutboxWrite write, OperatorAction act, String action, EntryRow entry, String outcome) {
        add(write, act, action, entry.id(), entry.key(), outcome);
    }

    /** Records an action on many rows. */
    static void add(OutboxWrite write, OperatorAction act, String action, String outcome) {
        add(write, act, action, 0, "", outcome);
    }

    private static void add(
            OutboxWrite write, OperatorAction act, String action, long entryId, String key, String outcome) {
        write.write(Mutation.newInsertBuilder(write.tables().audit())
                .set("EntryId")
                .to(entryId)
                .set("At")
                .to(Rows.value(write.now()))
                .set("Id")
                .to(UUID.randomUUID().toString())
                .set("Actor")
                .to(Rows.storable(act.actor()))
                .set("Action")
                .to(action)
                .set("IdempotencyKey")
                .to(key)
                .set("Outcome")
                .to(outcome)
                .set("Reason")
                .to(Rows.storable(act.reason()))
                .build());
    }

    /** Returns the actions on an entry, oldest first. */
    static List<AuditEntry> of(ReadContext context, OutboxSchema tables, long entryId) {
        return Rows.all(
                context.read(tables.audit(), KeySet.prefixRange(Key.of(entryId)), OutboxSchema.columns(DECLARATIONS)),
                AuditRows::read);
    }

    private static AuditEntry read(Struct row) {
        return new AuditEntry(
                requireNonNull(Rows.time(row, "At")),
                row.getString("Actor"),
                row.getString("Action"),
                row.getLong("EntryId"),
                row.getString("IdempotencyKey"),
                row.getString("Outcome"),
                row.getString("Reason"));
    }
}
