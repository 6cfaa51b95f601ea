package dev.spream.storage.spanner;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The statements that create the tables of a subscription, or complete a table of Beam. Each may be repeated. */
record MetadataDdl(MetadataTables tables) {
    static final String ID = "Id";
    static final String STREAM_NAME = "StreamName";
    static final String PARTITION_MODE = "PartitionMode";
    static final String COMPLETED = "Completed";
    static final String SNAPSHOT_QUERY = "SnapshotQuery";
    /** The latest time at which a partition finished that clean-up removed. */
    static final String REMOVED_UNTIL = "RemovedUntil";

    static final String FORGOTTEN_BEFORE = "ForgottenBefore";
    static final String KEPT_PARTITIONS = "KeptPartitions";

    static final String WORKER_ID = "WorkerId";
    static final String CAPACITY = "Capacity";
    static final String WHOLE_TRANSACTIONS = "WholeTransactions";
    static final String REGISTERED_AT = "RegisteredAt";
    static final String ALIVE_UNTIL = "AliveUntil";
    static final String LOW_WATERMARK = "LowWatermark";
    static final String AS_OF = "AsOf";
    static final String CORRECTED_AT = "CorrectedAt";
    static final String ACTOR = "Actor";
    static final String REASON = "Reason";
    static final String CHANGE = "Change";

    String partitions() {
        return createTable(
                tables.partitions(),
                MetadataColumn.PARTITION_TOKEN.columnName,
                declarations(Arrays.asList(MetadataColumn.values())));
    }

    /** Returns the table as Beam creates it, which deletes finished rows after a day; GoogleSQL only. */
    String partitionsOfBeam() {
        String table = createTable(
                tables.partitions(), MetadataColumn.PARTITION_TOKEN.columnName, declarations(MetadataColumn.ofBeam()));
        return table.replace("IF NOT EXISTS ", "") + ", ROW DELETION POLICY (OLDER_THAN(FinishedAt, INTERVAL 1 DAY))";
    }

    /**
     * Returns the table of the subscription. {@code StreamName} and {@code PartitionMode} are NULL in an adopted
     * subscription until it is opened.
     */
    String subscription() {
        return createTable(
                tables.subscription(),
                ID,
                withAdded(
                        tables.subscription(),
                        MetadataType.NUMBER.declaration(tables, ID, true),
                        MetadataType.TEXT.declaration(tables, STREAM_NAME, false),
                        MetadataColumn.START_TIMESTAMP.declaration(tables),
                        MetadataType.TIMESTAMP.declaration(tables, MetadataColumn.END_TIMESTAMP.columnName, false),
                        MetadataColumn.HEARTBEAT_MILLIS.declaration(tables),
                        MetadataType.TEXT.declaration(tables, PARTITION_MODE, false),
                        MetadataType.TRUTH.declaration(tables, COMPLETED, true),
                        MetadataColumn.CREATED_AT.declaration(tables)));
    }

    String workers() {
        return createTable(
                tables.workers(),
                WORKER_ID,
                withAdded(
                        tables.workers(),
                        MetadataType.TEXT.declaration(tables, WORKER_ID, true),
                        MetadataType.NUMBER.declaration(tables, CAPACITY, true),
                        MetadataType.COMMIT_TIMESTAMP.declaration(tables, REGISTERED_AT, true),
                        MetadataType.TIMESTAMP.declaration(tables, ALIVE_UNTIL, true)));
    }

    private Stream<String> withAdded(String table, String... declarations) {
        return Stream.concat(Stream.of(declarations), AddedColumn.declarations(tables, table));
    }

    String proofs() {
        return createTable(
                tables.proofs(),
                MetadataColumn.PARTITION_TOKEN.columnName,
                FinishedPartitionRows.COLUMNS.stream().map(this::proofColumn));
    }

    /** Returns the table of corrections; {@code Id} is 1 for the first. */
    String corrections() {
        return createTable(
                tables.corrections(),
                ID,
                Stream.of(
                        MetadataType.NUMBER.declaration(tables, ID, true),
                        MetadataType.COMMIT_TIMESTAMP.declaration(tables, CORRECTED_AT, true),
                        MetadataType.TEXT.declaration(tables, ACTOR, true),
                        MetadataType.TEXT.declaration(tables, REASON, true),
                        MetadataType.TEXT.declaration(tables, CHANGE, true)));
    }

    /** Returns a column of proofs; the time of finishing is copied, not that of a commit of this table. */
    private String proofColumn(MetadataColumn column) {
        return column == MetadataColumn.FINISHED_AT
                ? MetadataType.TIMESTAMP.declaration(tables, column.columnName, true)
                : column.declaration(tables);
    }

    String byChange() {
        return "CREATE INDEX IF NOT EXISTS %s ON %s (%s, %s)"
                .formatted(
                        tables.quoted(tables.byChange()),
                        tables.quoted(tables.partitions()),
                        tables.quoted(MetadataColumn.STATE.columnName),
                        tables.quoted(MetadataColumn.CHANGED_AT.columnName));
    }

    /** Returns the statement that adds a column to the table of an earlier release, or of another reader. */
    String addColumn(String table, String declaration) {
        return "ALTER TABLE %s ADD COLUMN %s".formatted(tables.quoted(table), declaration);
    }

    /** Returns the statement that stops Spanner from deleting finished rows, which would delete their proofs. */
    String dropDeletionPolicy() {
        return "ALTER TABLE %s DROP %s"
                .formatted(tables.quoted(tables.partitions()), tables.isPostgres() ? "TTL" : "ROW DELETION POLICY");
    }

    private Stream<String> declarations(Collection<MetadataColumn> columns) {
        return columns.stream().map(column -> column.declaration(tables));
    }

    private String createTable(String name, String key, Stream<String> declarations) {
        String columns = declarations.collect(Collectors.joining(", "));
        String primaryKey = "PRIMARY KEY (" + tables.quoted(key) + ")";
        String form = tables.isPostgres()
                ? "CREATE TABLE IF NOT EXISTS %s (%s, %s)"
                : "CREATE TABLE IF NOT EXISTS %s (%s) %s";
        return form.formatted(tables.quoted(name), columns, primaryKey);
    }

    /** Returns all statements that a new table needs, in order. */
    List<String> all() {
        return List.of(partitions(), subscription(), workers(), proofs(), corrections(), byChange());
    }

    /**
     * The columns that later releases have added to the tables of the subscription and its workers; NULL in what an earlier
     * release writes.
     */
    enum AddedColumn {
        SNAPSHOT_QUERY(false, MetadataDdl.SNAPSHOT_QUERY, MetadataType.TEXT),
        REMOVED_UNTIL(false, MetadataDdl.REMOVED_UNTIL, MetadataType.TIMESTAMP),
        FORGOTTEN_BEFORE(false, MetadataDdl.FORGOTTEN_BEFORE, MetadataType.TIMESTAMP),
        KEPT_PARTITIONS(false, MetadataDdl.KEPT_PARTITIONS, MetadataType.NUMBER),
        WHOLE_TRANSACTIONS(true, MetadataDdl.WHOLE_TRANSACTIONS, MetadataType.TRUTH),
        LOW_WATERMARK(true, MetadataDdl.LOW_WATERMARK, MetadataType.TIMESTAMP),
        AS_OF(true, MetadataDdl.AS_OF, MetadataType.TIMESTAMP);

        private final boolean ofWorkers;
        final String columnName;
        private final MetadataType type;

        AddedColumn(boolean ofWorkers, String columnName, MetadataType type) {
            this.ofWorkers = ofWorkers;
            this.columnName = columnName;
            this.type = type;
        }

        /** Returns the table of the column: that of the workers, or of the subscription. */
        String table(MetadataTables tables) {
            return ofWorkers ? tables.workers() : tables.subscription();
        }

        String declaration(MetadataTables tables) {
            return type.declaration(tables, columnName, false);
        }

        static List<String> names() {
            return Stream.of(values()).map(column -> column.columnName).toList();
        }

        /** Returns the declarations of the columns of that table. */
        static Stream<String> declarations(MetadataTables tables, String table) {
            return Stream.of(values())
                    .filter(column -> column.table(tables).equals(table))
                    .map(column -> column.declaration(tables));
        }
    }
}
