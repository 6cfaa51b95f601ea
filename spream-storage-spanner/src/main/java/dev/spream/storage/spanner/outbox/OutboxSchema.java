package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.Dialect;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tables of an outbox: that of the entries, named by the user, and the others, named after it.
 *
 * <p>Keys begin with a shard, so that ids and times that grow do not make one key range hot. A column that an index
 * begins with is NULL in rows that the index leaves out, such as settled entries.
 *
 * @param entries the name of the table of entries: a letter, then up to 99 letters, digits and underscores
 */
record OutboxSchema(String entries, Dialect dialect) {
    static final int SHARDS = 16;

    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,99}");
    private static final Map<String, String> POSTGRES_TYPES =
            Map.of("INT64", "bigint", "STRING(MAX)", "text", "BOOL", "boolean", "TIMESTAMP", "timestamptz");

    OutboxSchema {
        requireValid(entries);
    }

    static String requireValid(String table) {
        if (!IDENTIFIER.matcher(table).matches()) {
            throw new IllegalArgumentException(
                    "malformed table name '%s': expected a letter, then up to 99 letters, digits and underscores"
                            .formatted(table));
        }
        return table;
    }

    String ledger() {
        return entries + "_Ledger";
    }

    String segments() {
        return entries + "_Segments";
    }

    String workers() {
        return entries + "_Workers";
    }

    String audit() {
        return entries + "_Audit";
    }

    /** Returns the index of the entries without an ordering key that are claimed when their time comes, by destination. */
    String due() {
        return entries + "_Due";
    }

    /** Returns the index of the unsettled entries with an ordering key, by segment and destination. */
    String bySegment() {
        return entries + "_BySegment";
    }

    /** Returns the index of the unsettled entries of each ordering key and destination, those that are being sent first. */
    String byOrderingKey() {
        return entries + "_ByOrderingKey";
    }

    String byExpiry() {
        return entries + "_ByExpiry";
    }

    String bySettlement() {
        return entries + "_BySettlement";
    }

    /** Returns the index of all entries by state and destination. */
    String byState() {
        return entries + "_ByState";
    }

    /** Returns the index of the settled requests whose entries have been removed. */
    String ledgerBySettlement() {
        return ledger() + "_BySettlement";
    }

    String auditByTime() {
        return audit() + "_ByTime";
    }

    boolean isPostgres() {
        return dialect == Dialect.POSTGRESQL;
    }

    String quoted(String name) {
        return isPostgres() ? "\"" + name + "\"" : "`" + name + "`";
    }

    /** Returns names for a list in a statement. */
    String quoted(List<String> names) {
        return names.stream().map(this::quoted).collect(Collectors.joining(", "));
    }

    /**
     * Returns the table of the entries in a query that has to use that index. Google's emulator refuses an index with
     * {@code NULL_FILTERED} otherwise; Spanner ignores hints of an emulator.
     */
    String using(String table, String index) {
        return quoted(table)
                + (isPostgres()
                        ? "/*@ FORCE_INDEX = " + quoted(index) + " */"
                        : "@{FORCE_INDEX=" + index
                                + ", spanner_emulator.disable_query_null_filtered_index_check=true}");
    }

    /** Returns the placeholder of the parameter {@code p1}, {@code p2} and so on. */
    String parameter(int number) {
        return (isPostgres() ? "$" : "@p") + number;
    }

    /** Returns the statements that create what is missing, in order. Each may be repeated. */
    List<String> ddl() {
        return List.of(
                table(entries, "Shard, Id", EntryColumns.DECLARATIONS),
                table(ledger(), "Shard, IdempotencyKey, Generation", LedgerRow.DECLARATIONS),
                table(segments(), "Segment", SegmentRows.SEGMENT_DECLARATIONS),
                table(workers(), "Worker", SegmentRows.WORKER_DECLARATIONS),
                table(audit(), "EntryId, At, Id", AuditRows.DECLARATIONS),
                index(due(), entries, "DueShard, Destination, DueAt", "State, ExpiryAt"),
                index(bySegment(), entries, "OpenSegment, Destination, Id", "OpenOrderingKey, State, DueAt, ExpiryAt"),
                index(byOrderingKey(), entries, "OpenOrderingKey, Destination, Waiting, Id", "State, DueAt"),
                index(byExpiry(), entries, "ExpiryShard, ExpiryAt", ""),
                index(bySettlement(), entries, "SettledShard, SettledAt", ""),
                "CREATE INDEX IF NOT EXISTS %s ON %s (%s)"
                        .formatted(quoted(byState()), quoted(entries), quoted(List.of("State", "Destination"))),
                index(ledgerBySettlement(), ledger(), "ForgetShard, ForgetAt", ""),
                "CREATE INDEX IF NOT EXISTS %s ON %s (%s)"
                        .formatted(quoted(auditByTime()), quoted(audit()), quoted("At")));
    }

    private String table(String name, String key, List<String> declarations) {
        String columns = declarations.stream().map(this::column).collect(Collectors.joining(", "));
        String primaryKey = "PRIMARY KEY (" + quoted(names(key)) + ")";
        return (isPostgres() ? "CREATE TABLE IF NOT EXISTS %s (%s, %s)" : "CREATE TABLE IF NOT EXISTS %s (%s) %s")
                .formatted(quoted(name), columns, primaryKey);
    }

    /** Returns a declaration of GoogleSQL in this dialect. */
    private String column(String declaration) {
        String[] parts = declaration.split(" ", 3);
        String type = isPostgres() ? POSTGRES_TYPES.getOrDefault(parts[1], parts[1]) : parts[1];
        return quoted(parts[0]) + " " + type + (parts.length > 2 ? " " + parts[2] : "");
    }

    /** Returns an index of the rows in which no column of the key is NULL. */
    private String index(String name, String table, String key, String stored) {
        List<String> columns = names(key);
        String storing = stored.isEmpty() ? "" : "(" + quoted(names(stored)) + ")";
        if (!isPostgres()) {
            return "CREATE NULL_FILTERED INDEX IF NOT EXISTS %s ON %s (%s)%s"
                    .formatted(
                            quoted(name),
                            quoted(table),
                            quoted(columns),
                            storing.isEmpty() ? "" : " STORING " + storing);
        }
        return "CREATE INDEX IF NOT EXISTS %s ON %s (%s)%s WHERE %s"
                .formatted(
                        quoted(name),
                        quoted(table),
                        quoted(columns),
                        storing.isEmpty() ? "" : " INCLUDE " + storing,
                        columns.stream()
                                .map(column -> quoted(column) + " IS NOT NULL")
                                .collect(Collectors.joining(" AND ")));
    }

    private static List<String> names(String list) {
        return List.of(list.split(", "));
    }

    /** Returns the names of declared columns. */
    static List<String> columns(List<String> declarations) {
        return declarations.stream()
                .map(declaration -> declaration.substring(0, declaration.indexOf(' ')))
                .toList();
    }

    /** Returns the names of all tables. */
    List<String> all() {
        return Stream.of(entries, ledger(), segments(), workers(), audit()).toList();
    }

    /** The short form for log messages. */
    @Override
    public String toString() {
        return entries;
    }
}
