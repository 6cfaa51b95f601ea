package dev.spream.storage.spanner.outbox;

import java.util.List;

/** The columns of the table of entries. */
final class EntryColumns {
    /** The columns, in the form of GoogleSQL; those from {@code DueShard} on follow from the others. */
    static final List<String> DECLARATIONS = List.of(
            "Shard INT64 NOT NULL",
            "Id INT64 NOT NULL",
            "IdempotencyKey STRING(MAX) NOT NULL",
            "Generation INT64 NOT NULL",
            "RequestDigest STRING(MAX) NOT NULL",
            "PayloadType STRING(MAX)",
            "Destination STRING(MAX) NOT NULL",
            "OrderingKey STRING(MAX)",
            "Traceparent STRING(MAX)",
            "CreatedAt TIMESTAMP NOT NULL",
            "ExpiresAt TIMESTAMP",
            "State STRING(MAX) NOT NULL",
            "Attempts INT64 NOT NULL",
            "Token INT64 NOT NULL",
            "OutcomeUnknown BOOL NOT NULL",
            "NextRunAt TIMESTAMP",
            "DueAt TIMESTAMP",
            "Owner STRING(MAX)",
            "LastError STRING(MAX)",
            "LastErrorMessage STRING(MAX)",
            "UpdatedAt TIMESTAMP NOT NULL",
            "DueShard INT64",
            "OpenSegment INT64",
            "OpenOrderingKey STRING(MAX)",
            "Waiting BOOL",
            "ExpiryShard INT64",
            "ExpiryAt TIMESTAMP",
            "SettledShard INT64",
            "SettledAt TIMESTAMP",
            "Payload STRING(MAX) NOT NULL");

    static final String PAYLOAD = "Payload";

    /** The columns from which a row is read; without the payload, which only a claim needs. */
    static final List<String> NAMES = OutboxSchema.columns(DECLARATIONS)
            .subList(0, OutboxSchema.columns(DECLARATIONS).indexOf("DueShard"));

    /** The columns that do not change, except the key. */
    static final List<String> FIXED = List.of(
            "IdempotencyKey",
            "RequestDigest",
            "PayloadType",
            "Destination",
            "OrderingKey",
            "Traceparent",
            "CreatedAt",
            "ExpiresAt",
            PAYLOAD);

    /** The states of parked entries, which have the status FAILED. */
    static final String PARKED = "parked";

    static final String PARKED_UNKNOWN = "parked_unknown";

    /** The states of entries that are not settled. */
    static final List<String> UNSETTLED = List.of("pending", "sending", "failed", PARKED, PARKED_UNKNOWN);

    private EntryColumns() {}
}
