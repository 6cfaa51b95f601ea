package dev.spream.storage.spanner;

import java.util.Arrays;
import java.util.List;

/**
 * The columns of the partitions' table. The first are those of Apache Beam, by name, type and order, so that its tables
 * can be adopted; the others may be NULL, because only such columns can be added to a table with rows.
 */
enum MetadataColumn {
    PARTITION_TOKEN("PartitionToken", MetadataType.TEXT, true),
    PARENT_TOKENS("ParentTokens", MetadataType.TEXTS, false),
    START_TIMESTAMP("StartTimestamp", MetadataType.TIMESTAMP, true),
    END_TIMESTAMP("EndTimestamp", MetadataType.TIMESTAMP, true),
    HEARTBEAT_MILLIS("HeartbeatMillis", MetadataType.NUMBER, true),
    STATE("State", MetadataType.TEXT, true),
    WATERMARK("Watermark", MetadataType.TIMESTAMP, true),
    CREATED_AT("CreatedAt", MetadataType.COMMIT_TIMESTAMP, true),
    SCHEDULED_AT("ScheduledAt", MetadataType.COMMIT_TIMESTAMP, false),
    RUNNING_AT("RunningAt", MetadataType.COMMIT_TIMESTAMP, false),
    FINISHED_AT("FinishedAt", MetadataType.COMMIT_TIMESTAMP, false),
    EPOCH("Epoch", MetadataType.NUMBER, false),
    OWNER("Owner", MetadataType.TEXT, false),
    LEASE_UNTIL("LeaseUntil", MetadataType.TIMESTAMP, false),
    END_PROOF("EndProof", MetadataType.TEXT, false),
    END_PROOF_AT("EndProofAt", MetadataType.TIMESTAMP, false),
    END_PROOF_CHILDREN("EndProofChildren", MetadataType.TEXTS, false),
    /** The gaps: the start and the end of each in turn. */
    GAPS("Gaps", MetadataType.TIMESTAMPS, false),
    MOVE_IN_TIMESTAMP("MoveInTimestamp", MetadataType.TIMESTAMP, false),
    MOVE_IN_SOURCES("MoveInSources", MetadataType.TEXTS, false),
    /** The record sequence of the last settled move-out at the watermark. */
    MOVE_OUT_SEQUENCE("MoveOutSequence", MetadataType.TEXT, false),
    MOVE_OUT_DESTINATIONS("MoveOutDestinations", MetadataType.TEXTS, false),
    /** The last change that a look shows; NULL if it was made by a release without this column, or by a correction. */
    CHANGED_AT("ChangedAt", MetadataType.COMMIT_TIMESTAMP, false);

    static final List<String> NAMES =
            Arrays.stream(values()).map(column -> column.columnName).toList();

    final String columnName;
    private final MetadataType type;
    private final boolean required;

    MetadataColumn(String columnName, MetadataType type, boolean required) {
        this.columnName = columnName;
        this.type = type;
        this.required = required;
    }

    /** Returns the columns that Beam has too. */
    static List<MetadataColumn> ofBeam() {
        return Arrays.stream(values()).filter(column -> !column.isExtension()).toList();
    }

    private boolean isExtension() {
        return compareTo(EPOCH) >= 0;
    }

    /** Returns the declaration of the column in a CREATE TABLE or ADD COLUMN. */
    String declaration(MetadataTables tables) {
        return type.declaration(tables, columnName, required);
    }
}
