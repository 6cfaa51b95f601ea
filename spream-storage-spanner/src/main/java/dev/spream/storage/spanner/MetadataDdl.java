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
    static final String FORGOTTEN_BEFORE = "ForgottenBefore";
    static final String KEPT_PARTITIONS = "KeptPartitions";

    /** The columns of the subscription that tables of earlier releases lack; NULL there. */
    static final List<String> ADDED_TO_SUBSCRIPTION = List.of(SNAPSHOT_QUERY, FORGOTTEN_BEFORE, KEPT_PARTITIONS);

    static final String WORKER_ID = "WorkerId";
    static final String CAPACITY = "Capacity";
    static final String WHOLE_TRANSACTIONS = "WholeTransactions";
    static final String REGISTERED_AT = "RegisteredAt";
    static final String ALIVE_UNTIL = "AliveUntil";
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
                Stream.of(
                                Stream.of(
                                        MetadataType.NUMBER.declaration(tables, ID, true),
                                        MetadataType.TEXT.declaration(tables, STREAM_NAME, false),
                                        MetadataColumn.START_TIMESTAMP.declaration(tables),
                                        MetadataType.TIMESTAMP.declaration(
                                                tables, MetadataColumn.END_TIMESTAMP.columnName, false),
                                        MetadataColumn.HEARTBEAT_MILLIS.declaration(tables),
                                        MetadataType.TEXT.declaration(tables, PARTITION_MODE, false),
                                        MetadataType.TRUTH.declaration(tables, COMPLETED, true)),
                                ADDED_TO_SUBSCRIPTION.stream().map(this::added),
                                Stream.of(MetadataColumn.CREATED_AT.declaration(tables)))
                        .flatMap(columns -> columns));
    }

    private String added(String column) {
        MetadataType type =
                switch (column) {
                    case FORGOTTEN_BEFORE -> MetadataType.TIMESTAMP;
                    case KEPT_PARTITIONS -> MetadataType.NUMBER;
                    default -> MetadataType.TEXT;
                };
        return type.declaration(tables, column, false);
    }

    /** Returns the statement that adds a column to the table of the subscription of an earlier release. */
    String addToSubscription(String column) {
        return "ALTER TABLE %s ADD COLUMN %s".formatted(tables.quoted(tables.subscription()), added(column));
    }

    String workers() {
        return createTable(
                tables.workers(),
                WORKER_ID,
                Stream.of(
                        MetadataType.TEXT.declaration(tables, WORKER_ID, true),
                        MetadataType.NUMBER.declaration(tables, CAPACITY, true),
                        wholeTransactions(),
                        MetadataType.COMMIT_TIMESTAMP.declaration(tables, REGISTERED_AT, true),
                        MetadataType.TIMESTAMP.declaration(tables, ALIVE_UNTIL, true)));
    }

    /** Returns a column that is NULL if the worker is of an earlier release. */
    private String wholeTransactions() {
        return MetadataType.TRUTH.declaration(tables, WHOLE_TRANSACTIONS, false);
    }

    /** Returns the statement that completes the table of workers of an earlier release. */
    String addWholeTransactions() {
        return "ALTER TABLE %s ADD COLUMN %s".formatted(tables.quoted(tables.workers()), wholeTransactions());
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

    String byState() {
        String storing = tables.isPostgres() ? "INCLUDE" : "STORING";
        return "CREATE INDEX IF NOT EXISTS %s ON %s (%s) %s (%s)"
                .formatted(
                        tables.quoted(tables.byState()),
                        tables.quoted(tables.partitions()),
                        tables.quoted(MetadataColumn.STATE.columnName),
                        storing,
                        tables.quoted(MetadataColumn.PARENT_TOKENS.columnName));
    }

    String addColumn(MetadataColumn column) {
        return "ALTER TABLE %s ADD COLUMN %s".formatted(tables.quoted(tables.partitions()), column.declaration(tables));
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
        return List.of(partitions(), subscription(), workers(), proofs(), corrections(), byState());
    }
}
