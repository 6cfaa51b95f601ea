package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The check of a query that is to be partitioned, as in Google's emulator: one that reads tables must read a single one,
 * with nothing but a filter. Spanner partitions more, every query whose plan has a distributed union at its root; a hint
 * turns the check off.
 */
public final class QueryPartitioning {
    private static final Pattern UNCHECKED =
            Pattern.compile("(?i)disable_query_partitionability_check\\s*=\\s*true\\s*(?:[,}]|\\*/)");

    /** Words that make a query more than the scan of a table. */
    private static final Set<String> MORE_THAN_A_SCAN = Set.of(
            "DISTINCT",
            "GROUP",
            "HAVING",
            "INTERSECT",
            "JOIN",
            "LIMIT",
            "OFFSET",
            "ORDER",
            "TABLESAMPLE",
            "UNION",
            "WITH");

    private static final Set<String> AGGREGATES = Set.of("""
            ANY_VALUE ARRAY_AGG ARRAY_CONCAT_AGG AVG BIT_AND BIT_OR BIT_XOR BOOL_AND BOOL_OR COUNT COUNTIF EVERY \
            LOGICAL_AND LOGICAL_OR MAX MIN STDDEV STDDEV_SAMP STRING_AGG SUM VARIANCE VAR_SAMP""".split(" "));

    private final TokenCursor cursor;
    /** For each open parenthesis whether a query is within. */
    private final Deque<Boolean> groups = new ArrayDeque<>();

    private boolean readsTable;
    private boolean hasSubquery;
    private boolean simple = true;

    private QueryPartitioning(String sql, DatabaseDialect dialect) {
        this.cursor = new TokenCursor(sql, dialect);
    }

    /**
     * Checks a query.
     *
     * @throws io.grpc.StatusRuntimeException INVALID_ARGUMENT if it cannot be partitioned
     */
    public static void check(String sql, DatabaseDialect dialect) {
        if (UNCHECKED.matcher(sql).find()) {
            return;
        }
        QueryPartitioning partitioning = new QueryPartitioning(sql, dialect);
        partitioning.read();
        if (partitioning.readsTable && (partitioning.hasSubquery || !partitioning.simple)) {
            throw Errors.invalidArgument(
                    "The emulator is not able to determine whether this query is partitionable. A query is"
                            + " partitionable only if the first operator in the query execution plan is a Distributed"
                            + " Union. If it is in Cloud Spanner, set the hint"
                            + " @{spanner_emulator.disable_query_partitionability_check=true} on the query to bypass"
                            + " this check. Possible reason why the query may not be partitionable: Query %s.",
                    partitioning.hasSubquery ? "contains subquery" : "is not a simple table scan");
        }
    }

    private void read() {
        while (cursor.acceptSymbol("(")) {
            groups.push(true);
        }
        int outermost = groups.size();
        boolean inFrom = false;
        while (!cursor.atEnd()) {
            Token token = cursor.next();
            boolean outer = groups.size() == outermost;
            if (token.isSymbol("(")) {
                boolean query = cursor.peek().isWord("SELECT") || cursor.peek().isWord("WITH");
                groups.push(query);
                hasSubquery |= query && !inFrom;
                simple &= !query || !inFrom;
            } else if (token.isSymbol(")") && !groups.isEmpty()) {
                groups.pop();
            } else if (token.isWord("FROM") || token.isWord("JOIN")) {
                boolean ofQuery = groups.isEmpty() || groups.getFirst();
                readsTable |=
                        ofQuery && cursor.peek().isName() && !cursor.peek().isWord("UNNEST");
                inFrom = outer || inFrom;
            }
            if (outer) {
                inFrom &= !token.isWord("WHERE");
                simple &= !more(token) && !(inFrom && token.isSymbol(","));
            }
            simple &= !(cursor.peek().isSymbol("(") && AGGREGATES.contains(token.upper()));
        }
    }

    private boolean more(Token token) {
        boolean exceptQuery = token.isWord("EXCEPT") && !cursor.peek().isSymbol("(");
        return exceptQuery || (token.kind() == Token.Kind.WORD && MORE_THAN_A_SCAN.contains(token.upper()));
    }
}
