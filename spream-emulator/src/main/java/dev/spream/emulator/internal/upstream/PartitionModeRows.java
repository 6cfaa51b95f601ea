package dev.spream.emulator.internal.upstream;

import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.PartitionMode;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rows of the partition modes in {@code information_schema.change_stream_options}, which the other server does not
 * have: a query of that table is given both.
 */
final class PartitionModeRows {
    private static final Pattern TABLE = Pattern.compile(
            "(?i)information_schema\\s*\\.\\s*change_stream_options\\b(\\s+(?:AS\\s+)?([a-z_][a-z0-9_]*))?");
    private static final Set<String> AFTER_A_TABLE = Set.of(
            "where",
            "join",
            "left",
            "right",
            "inner",
            "cross",
            "full",
            "on",
            "using",
            "order",
            "group",
            "having",
            "limit",
            "union",
            "intersect",
            "except",
            "as");

    private PartitionModeRows() {}

    /** Returns a query that finds the modes, too; the same query if it does not read the table. */
    static String added(String sql, Dialect dialect, String database, Map<String, PartitionMode> modes) {
        if (modes.isEmpty()) {
            return sql;
        }
        Matcher table = TABLE.matcher(sql);
        return table.replaceAll(found -> {
            String alias = found.group(2);
            boolean aliased = alias != null && !AFTER_A_TABLE.contains(alias.toLowerCase(Locale.ROOT));
            String rest = aliased || found.group(1) == null ? "" : found.group(1);
            return Matcher.quoteReplacement("(" + union(dialect, database, modes) + ") AS "
                    + (aliased ? alias : "change_stream_options") + rest);
        });
    }

    private static String union(Dialect dialect, String database, Map<String, PartitionMode> modes) {
        boolean postgres = dialect == Dialect.POSTGRESQL;
        StringBuilder union =
                new StringBuilder("SELECT change_stream_catalog, change_stream_schema, change_stream_name,"
                        + " option_name, option_type, option_value FROM information_schema.change_stream_options");
        modes.forEach((stream, mode) -> union.append(" UNION ALL SELECT '%s', '%s', '%s', 'partition_mode', '%s', '%s'"
                .formatted(
                        postgres ? database : "",
                        postgres ? "public" : "",
                        stream,
                        postgres ? "character varying" : "STRING",
                        mode.name())));
        return union.toString();
    }
}
