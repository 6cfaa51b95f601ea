package dev.spream.storage.jdbc.projection.version;

import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The attachments of a table, on which readers and subscribers depend: row security with its policies, triggers, rules,
 * publications, replica identity. They belong to the table and not to its name, so a table must have the same
 * attachments as the one that it replaces.
 */
final class TableAttachments {
    private static final String ROW_SECURITY = "row security";
    private static final String POLICY = "policy ";

    /**
     * Selects the attachments as text that is independent of the schema of the table. A disabled trigger on a table
     * that becomes live also counts as enabled, since the cutover sets it as on the live table.
     */
    private static final String ATTACHED = """
            SELECT replace(replace(a.what, s.one || '.', ''), s.other || '.', '') AS what
            FROM (SELECT quote_ident(?) AS one, quote_ident(?) AS other) AS s
            CROSS JOIN pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            CROSS JOIN LATERAL (
                SELECT 'row security' WHERE c.relrowsecurity
                UNION ALL SELECT 'row security for its owner too' WHERE c.relforcerowsecurity
                UNION ALL SELECT format('policy %I, %s, for %s to %s', p.policyname, lower(p.permissive), p.cmd, p.roles)
                    || coalesce(' using ' || p.qual, '') || coalesce(' with check ' || p.with_check, '')
                FROM pg_policies p WHERE p.schemaname = n.nspname AND p.tablename = c.relname
                UNION ALL SELECT format('trigger %I%s: %s', t.tgname,
                    CASE e.enabled WHEN 'O' THEN '' WHEN 'D' THEN ', disabled' WHEN 'A' THEN ', always' ELSE ', on replicas' END,
                    pg_get_triggerdef(t.oid))
                FROM pg_trigger t
                CROSS JOIN unnest(CASE WHEN ?::boolean AND t.tgenabled = 'D' THEN ARRAY['O', 'D', 'A', 'R']
                    ELSE ARRAY[t.tgenabled::text] END) AS e (enabled)
                WHERE t.tgrelid = c.oid AND NOT t.tgisinternal
                UNION ALL SELECT format('rule %I: %s', r.rulename, pg_get_ruledef(r.oid))
                FROM pg_rewrite r WHERE r.ev_class = c.oid
                UNION ALL SELECT format('publication %I', p.pubname)
                    || CASE WHEN to_jsonb(r) ->> 'prattrs' IS NOT NULL THEN ' of ' || (to_jsonb(t) ->> 'attnames') ELSE '' END
                    || coalesce(' where ' || (to_jsonb(t) ->> 'rowfilter'), '')
                FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid
                JOIN pg_publication_tables t ON t.pubname = p.pubname AND t.schemaname = n.nspname AND t.tablename = c.relname
                WHERE r.prrelid = c.oid
                UNION ALL SELECT 'replica identity ' || CASE c.relreplident WHEN 'f' THEN 'full' WHEN 'n' THEN 'nothing'
                    ELSE coalesce((SELECT format('using index %I', x.relname) FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
                        WHERE i.indrelid = c.oid AND i.indisreplident), 'of an index that is gone') END
                WHERE c.relreplident <> 'd'
            ) AS a (what)
            WHERE c.oid = to_regclass(?) ORDER BY 1""";

    private TableAttachments() {}

    /**
     * Checks that tables have the attachments of the tables that they replace. Additional ones are allowed, as long as
     * they do not change which rows are visible under row security.
     *
     * @throws IllegalStateException if attachments are missing
     */
    static void requireSame(
            ProjectionTransaction transaction, LiveAndCandidate pair, String home, String incoming, Set<String> tables)
            throws SQLException {
        StatementBatch trip = transaction.next();
        List<Compared> compared = new ArrayList<>();
        for (String table : tables) {
            compared.add(new Compared(
                    table,
                    attached(trip, home, incoming, VersionSchemas.quoted(home, table), false),
                    attached(trip, home, incoming, VersionSchemas.quoted(incoming, table), true)));
        }
        trip.run();
        List<String> differences =
                compared.stream().flatMap(one -> one.differences().stream()).toList();
        if (!differences.isEmpty()) {
            throw new IllegalStateException(
                    "the tables of version %d of projection '%s' in the schema '%s' differ from the live ones in attachments on which readers depend and which do not move: %s; nothing was changed: create the same in create(), create them manually now, or drop them from the live tables; create a trigger that writes tables shared by versions and disable it (ALTER TABLE … DISABLE TRIGGER), the cutover enables it"
                            .formatted(
                                    pair.other().version().version(),
                                    pair.projection(),
                                    incoming,
                                    String.join("; ", differences)));
        }
    }

    private static List<String> attached(
            StatementBatch trip, String home, String incoming, String table, boolean coming) {
        return trip.rows(
                ATTACHED,
                p -> p.text(home).text(incoming).text(Boolean.toString(coming)).text(table),
                row -> row.getString("what").replaceAll("\\s+", " "));
    }

    private record Compared(String table, List<String> going, List<String> coming) {
        List<String> differences() {
            List<String> differences = new ArrayList<>();
            Set<String> missing = new TreeSet<>(going);
            coming.forEach(missing::remove);
            missing.forEach(what -> differences.add("%s lacks %s".formatted(table, what)));
            if (going.contains(ROW_SECURITY)) {
                Set<String> added = new TreeSet<>(coming);
                going.forEach(added::remove);
                added.stream()
                        .filter(what -> what.startsWith(POLICY))
                        .forEach(what -> differences.add("%s also has %s".formatted(table, what)));
            }
            return differences;
        }
    }
}
