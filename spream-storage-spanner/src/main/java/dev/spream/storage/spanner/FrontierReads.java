package dev.spream.storage.spanner;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.ReadOnlyTransaction;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.TimestampBound;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.FrontierChanges.LiveWorkers;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerProgress;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The reads of looks at the frontier: a query that returns one row, the index for what changed, and then the rows of that, if
 * there are any. All are as of the read timestamp of the query, and each is a read by itself: a transaction would take a
 * further request. Safe for use by many threads.
 */
final class FrontierReads {
    private static final String READ_AT = "ReadAt";
    private static final String WORKERS = "Workers";
    private static final String KNOWN = "Known";

    private final DatabaseClient client;
    private final MetadataTables tables;
    private final MetadataCalls calls;
    private final Statement summary;

    FrontierReads(DatabaseClient client, MetadataTables tables, MetadataCalls calls) {
        this.client = client;
        this.tables = tables;
        this.calls = calls;
        this.summary = Statement.of(summary(tables));
    }

    /** Returns a query of what the live workers come to, and of the last changes that no row shows. */
    private static String summary(MetadataTables tables) {
        String sql = """
                SELECT CURRENT_TIMESTAMP AS `ReadAt`,
                  (SELECT `CorrectedAt` FROM `%s` ORDER BY `Id` DESC LIMIT 1) AS `CorrectedAt`,
                  (SELECT `RemovedUntil` FROM `%s` WHERE `Id` = 1) AS `RemovedUntil`,
                  %s, %s, %s,
                  ARRAY_AGG(CAST(`Capacity` AS %s) || CASE WHEN `WholeTransactions` THEN '+' ELSE '-' END || `WorkerId`)
                    AS `Workers`,
                  COUNT(`AsOf`) AS `Known`
                FROM `%s` WHERE `AliveUntil` > CURRENT_TIMESTAMP""".formatted(
                        tables.corrections(),
                        tables.subscription(),
                        earliest(tables, MetadataDdl.ALIVE_UNTIL),
                        earliest(tables, MetadataDdl.LOW_WATERMARK),
                        earliest(tables, MetadataDdl.AS_OF),
                        tables.isPostgres() ? "text" : "STRING",
                        tables.workers());
        return tables.isPostgres() ? sql.replace('`', '"') : sql;
    }

    /** Returns a subquery in place of MIN, which truncates to microseconds in Google's emulator. */
    private static String earliest(MetadataTables tables, String column) {
        return """
                (SELECT `%1$s` FROM `%2$s` WHERE `AliveUntil` > CURRENT_TIMESTAMP AND `%1$s` IS NOT NULL
                  ORDER BY `%1$s` LIMIT 1) AS `%1$s`""".formatted(column, tables.workers());
    }

    FrontierChanges since(Optional<String> mark, Set<PartitionToken> watched) {
        Optional<Timestamp> since = mark.map(FrontierReads::time);
        return calls.run("looking for changes", () -> MetadataReads.repeated(() -> look(since, watched)));
    }

    /** Returns the read timestamp of the look that returned this mark. */
    private static Timestamp time(String mark) {
        try {
            return Timestamps.toTimestamp(Timestamps.parse(mark));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("'%s' is not a mark of this storage".formatted(mark), e);
        }
    }

    private FrontierChanges look(Optional<Timestamp> since, Set<PartitionToken> watched) {
        try (ReadOnlyTransaction first = client.singleUseReadOnlyTransaction()) {
            Struct found = MetadataReads.all(first.executeQuery(summary)).getFirst();
            Timestamp moment = first.getReadTimestamp();
            boolean complete = since.filter(mark -> !isAfter(found, MetadataDdl.CORRECTED_AT, mark)
                            && !isAfter(found, MetadataDdl.REMOVED_UNTIL, mark))
                    .isEmpty();
            KeySet keys = complete ? PartitionRows.unfinished() : PartitionRows.changed(since.orElseThrow(), moment);
            Set<PartitionToken> tokens = tokens(at(moment), tables, keys);
            tokens.addAll(watched);
            Instant asOf = Timestamps.toInstant(moment);
            Instant now = Timestamps.toInstant(found.getTimestamp(READ_AT));
            return new FrontierChanges(
                    complete,
                    MetadataReads.lineage(withPredecessors(moment, tokens), now.isAfter(asOf) ? now : asOf),
                    asOf,
                    Optional.of(asOf.toString()),
                    workers(found));
        }
    }

    private static boolean isAfter(Struct row, String column, Timestamp mark) {
        return !row.isNull(column) && row.getTimestamp(column).compareTo(mark) > 0;
    }

    private ReadContext at(Timestamp moment) {
        return client.singleUse(TimestampBound.ofReadTimestamp(moment));
    }

    /** Returns the partitions with these keys in the index by state and change. */
    static Set<PartitionToken> tokens(ReadContext context, MetadataTables tables, KeySet keys) {
        List<String> columns = List.of(MetadataColumn.PARTITION_TOKEN.columnName);
        return MetadataReads.all(context.readUsingIndex(tables.partitions(), tables.byChange(), keys, columns)).stream()
                .map(row -> new PartitionToken(row.getString(0)))
                .collect(Collectors.toCollection(HashSet::new));
    }

    /** Returns these partitions, and the finished ones that the unfinished of them name. */
    private List<Struct> withPredecessors(Timestamp moment, Set<PartitionToken> tokens) {
        List<Struct> rows = new ArrayList<>(rows(moment, tokens));
        Set<PartitionToken> named = rows.stream()
                .filter(row -> !isFinished(row))
                .flatMap(PartitionRows::predecessors)
                .filter(token -> !tokens.contains(token))
                .collect(Collectors.toSet());
        rows(moment, named).stream().filter(FrontierReads::isFinished).forEach(rows::add);
        return rows;
    }

    private List<Struct> rows(Timestamp moment, Set<PartitionToken> tokens) {
        return tokens.isEmpty()
                ? List.of()
                : MetadataReads.all(
                        at(moment).read(tables.partitions(), WriteTransaction.keys(tokens), MetadataColumn.NAMES));
    }

    private static boolean isFinished(Struct row) {
        return PartitionRows.state(row) == PartitionState.FINISHED;
    }

    private static LiveWorkers workers(Struct found) {
        List<String> workers = found.isNull(WORKERS) ? List.of() : found.getStringList(WORKERS);
        Optional<WorkerProgress> progress =
                found.getLong(KNOWN) < workers.size() ? Optional.empty() : WorkerRows.progress(found);
        return new LiveWorkers(
                workers.stream().sorted().toList().toString(),
                PartitionRows.findInstant(found, MetadataDdl.ALIVE_UNTIL),
                progress);
    }
}
