package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.VersionComparison;
import dev.spream.storage.jdbc.projection.internal.ExclusiveVersionLock;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares the tables of two versions in one snapshot, which is taken while both are quiesced; then they continue.
 * Until it ends, the tables are locked against cutovers only.
 */
record VersionComparer(ProjectionDatabase database) {
    private static final Duration WORK = Duration.ofHours(2);

    private static final String EXISTS = "SELECT to_regclass(?) IS NOT NULL";

    VersionComparison run(String projection, int version, Set<String> ignored, Duration timeout) {
        String what = "comparing version %d of projection '%s' with the live one".formatted(version, projection);
        return database.withTimeout(WORK).inTransaction(what, comparing -> {
            comparing
                    .first()
                    .update("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", p -> {})
                    .run();
            LiveAndCandidate pair = quiesce(comparing, projection, version, timeout);
            return compare(comparing, pair, new TreeSet<>(ignored));
        });
    }

    /** Takes the locks before the snapshot, and the snapshot while another transaction has quiesced both versions. */
    private LiveAndCandidate quiesce(
            ProjectionTransaction comparing, String projection, int version, Duration timeout) {
        return database.withTimeout(timeout)
                .inTransaction("quiescing projection '%s'".formatted(projection), holding -> {
                    LiveAndCandidate pair = LiveAndCandidate.take(holding, projection, version);
                    PairStatus.ask(holding, pair).requireFollowing(pair);
                    List<String> tables = tables(holding, pair);
                    lock(comparing, holding, projection, tables, timeout);
                    new QuiescedVersions(database, holding, pair, timeout).begin();
                    comparing.rows("SELECT true", p -> {}, row -> true);
                    return pair;
                });
    }

    /** Locks the tables. No statement here may read rows, because the first read takes the snapshot. */
    private static void lock(
            ProjectionTransaction comparing,
            ProjectionTransaction holding,
            String projection,
            List<String> tables,
            Duration timeout)
            throws SQLException {
        long end = System.nanoTime() + timeout.toNanos();
        for (String table : tables) {
            long left = Math.max(1, Duration.ofNanos(end - System.nanoTime()).toMillis());
            try {
                VersionSchemas.execute(comparing, "SET LOCAL lock_timeout = %d".formatted(left));
                VersionSchemas.execute(comparing, "LOCK TABLE %s IN ACCESS SHARE MODE".formatted(table));
            } catch (SQLException e) {
                if (!ExclusiveVersionLock.isLockTimeout(e)) {
                    throw e;
                }
                throw new IllegalStateException(
                        "the tables of projection '%s' could not be read: %s; nothing was compared: try again when that session has ended, with a longer timeout, or end it"
                                .formatted(projection, TableLocks.holders(holding, tables, true)),
                        e);
            }
        }
    }

    private static List<String> tables(ProjectionTransaction transaction, LiveAndCandidate pair) throws SQLException {
        List<String> tables = new ArrayList<>();
        for (String table : names(pair)) {
            for (String name : List.of(live(pair, table), other(pair, table))) {
                if (transaction.row(EXISTS, p -> p.text(name), row -> row.getBoolean(1))) {
                    tables.add(name);
                }
            }
        }
        return tables;
    }

    /** Returns the tables of either version; none if the read model is external. */
    private static Set<String> names(LiveAndCandidate pair) {
        return pair.other().ownSchema().isEmpty()
                ? Set.of()
                : Stream.of(pair.live(), pair.other())
                        .flatMap(version -> version.code().tables().stream())
                        .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String live(LiveAndCandidate pair, String table) {
        return VersionSchemas.quoted(pair.other().home().orElseThrow(), table);
    }

    private static String other(LiveAndCandidate pair, String table) {
        return VersionSchemas.quoted(pair.other().ownSchema().orElseThrow(), table);
    }

    private static VersionComparison compare(
            ProjectionTransaction comparing, LiveAndCandidate pair, Set<String> ignored) throws SQLException {
        List<TableComparer> tables = new ArrayList<>();
        for (String table : names(pair)) {
            tables.add(TableComparer.read(comparing, table, live(pair, table), other(pair, table)));
        }
        TableComparer.requireKnown(tables, ignored);
        List<VersionComparison.Table> compared = new ArrayList<>();
        for (TableComparer table : tables) {
            compared.add(table.compare(comparing, ignored));
        }
        return new VersionComparison(
                pair.projection(),
                pair.live().version().version(),
                pair.other().version().version(),
                compared);
    }
}
