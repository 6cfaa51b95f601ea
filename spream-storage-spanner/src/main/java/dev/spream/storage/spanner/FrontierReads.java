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
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.storage.spanner.client.DatabaseCalls;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
    private final DatabaseCalls calls;
    private final Statement summary;

    FrontierReads(DatabaseClient client, MetadataTables tables, DatabaseCalls calls) {
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
        Optional<Mark> since = mark.map(Mark::parsed);
        return calls.run("looking for changes", () -> MetadataReads.repeated(() -> look(since, watched)));
    }

    private FrontierChanges look(Optional<Mark> since, Set<PartitionToken> watched) {
        try (ReadOnlyTransaction first = client.singleUseReadOnlyTransaction()) {
            Struct found = MetadataReads.all(first.executeQuery(summary)).getFirst();
            Timestamp moment = first.getReadTimestamp();
            boolean complete = since.filter(earlier -> !isAfter(found, MetadataDdl.CORRECTED_AT, earlier.moment)
                            && !isAfter(found, MetadataDdl.REMOVED_UNTIL, earlier.moment))
                    .isEmpty();
            KeySet keys =
                    complete ? PartitionRows.unfinished() : PartitionRows.changed(since.orElseThrow().moment, moment);
            Set<PartitionToken> tokens = tokens(at(moment), tables, keys);
            tokens.addAll(watched);
            Instant asOf = Timestamps.toInstant(moment);
            Instant now = Timestamps.toInstant(found.getTimestamp(READ_AT));
            Mark mark = Mark.of(moment, found);
            return new FrontierChanges(
                    complete,
                    MetadataReads.lineage(withPredecessors(moment, tokens), now.isAfter(asOf) ? now : asOf),
                    asOf,
                    Optional.of(mark.toString()),
                    workers(found, mark, since, now));
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

    private LiveWorkers workers(Struct found, Mark mark, Optional<Mark> since, Instant now) {
        Optional<WorkerProgress> progress =
                found.getLong(KNOWN) < mark.workers.size() ? Optional.empty() : WorkerRows.progress(found);
        Optional<List<WorkerRegistration>> changed =
                since.filter(earlier -> earlier.workers.equals(mark.workers)).isPresent()
                        ? Optional.empty()
                        : Optional.of(alive(mark, now));
        return new LiveWorkers(changed, PartitionRows.findInstant(found, MetadataDdl.ALIVE_UNTIL), progress);
    }

    private List<WorkerRegistration> alive(Mark mark, Instant now) {
        return mark.workers.isEmpty()
                ? List.of()
                : MetadataReads.all(at(mark.moment).read(tables.workers(), KeySet.all(), WorkerRows.COLUMNS)).stream()
                        .map(row -> WorkerRows.registration(row, now))
                        .filter(WorkerRegistration::alive)
                        .toList();
    }

    /**
     * The moment of a look.
     *
     * @param moment its read timestamp
     * @param workers the workers that were alive, with their capacities and modes, sorted
     */
    private record Mark(Timestamp moment, List<String> workers) {
        private static final String SEPARATOR = "\n"; // no id has it

        static Mark of(Timestamp moment, Struct found) {
            List<String> workers = found.isNull(WORKERS) ? List.of() : found.getStringList(WORKERS);
            return new Mark(moment, workers.stream().sorted().toList());
        }

        static Mark parsed(String mark) {
            String[] parts = mark.split(SEPARATOR);
            try {
                return new Mark(
                        Timestamps.toTimestamp(Timestamps.parse(parts[0])),
                        List.of(parts).subList(1, parts.length));
            } catch (DateTimeException e) {
                throw new IllegalArgumentException("'%s' is not a mark of this storage".formatted(parts[0]), e);
            }
        }

        @Override
        public String toString() {
            return Stream.concat(Stream.of(Timestamps.toInstant(moment).toString()), workers.stream())
                    .collect(Collectors.joining(SEPARATOR));
        }
    }
}
