package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.storage.spanner.client.DatabaseCalls;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Hands a subscription back to Apache Beam: writes a new table of Beam's schema from which {@code
 * SpannerIO.readChangeStream} continues where the workers have stopped. The subscription is not changed; once the
 * pipeline runs, workers must not be started again.
 *
 * <p>Facts about Beam (2.71.0, {@code changestreams}) on which the written rows are based:
 *
 * <ul>
 *   <li>A table that exists is used if it has the row {@code Parent0}; Beam does not find it in a database of the
 *       PostgreSQL dialect, so that dialect is not supported.
 *   <li>It reads every row created at or after {@code Parent0}, whatever its state, from its StartTimestamp. So the
 *       start of an unfinished partition becomes its watermark.
 *   <li>{@code Parent0} itself is read again, and the partitions that it finds are inserted unless there is a row. So
 *       it starts at the earliest watermark, and finished partitions that end after that get rows with an earlier
 *       creation time.
 *   <li>It starts a child at once, whatever the state of its parents. So a child that was not read yet and has
 *       unfinished parents is omitted: its parent reports it again.
 *   <li>It ignores moves of key ranges, and its table has no columns for them. So a stream with mutable key ranges is not
 *       supported.
 * </ul>
 */
public final class BeamExport {
    /** Beam's own limit of table names. */
    private static final Pattern TABLE = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,62}");

    private static final Duration DDL_TIMEOUT = Duration.ofMinutes(10);
    private static final int BATCH = 1_000;

    private final SpannerConnection target;
    private final MetadataTables tables;
    private final DatabaseCalls calls;

    private BeamExport(SpannerConnection target, MetadataTables tables, DatabaseCalls calls) {
        this.target = target;
        this.tables = tables;
        this.calls = calls;
    }

    /**
     * Writes the table.
     *
     * @param source the storage of the subscription, of any kind; its workers must have stopped
     * @param target a client of the database for the table, of GoogleSQL dialect
     * @param table the name of the new table, at most 63 letters, digits and underscores
     * @throws IllegalArgumentException if the name cannot be that of a table of Beam
     * @throws StorageException if the subscription cannot be exported in its state, if the table exists, or if Spanner
     *     failed. An incomplete table has no row {@code Parent0}: drop it and try again
     */
    public static BeamTable write(PartitionStorage source, SpannerConnection target, String table) {
        if (!TABLE.matcher(requireNonNull(table, "table")).matches()) {
            throw new IllegalArgumentException(
                    "malformed name '%s' for a table of Beam: expected a letter, then up to 62 letters, digits and underscores"
                            .formatted(table));
        }
        BeamRows rows = rows(source);
        DatabaseCalls calls = new DatabaseCalls(target.database() + " table " + table, DDL_TIMEOUT);
        MetadataSchema schema = MetadataSchema.read(target, table, calls);
        if (schema.tables().dialect() != Dialect.GOOGLE_STANDARD_SQL) {
            throw refused(
                    "Apache Beam does not find existing tables in a database of the PostgreSQL dialect",
                    "Specify a database of GoogleSQL dialect; it need not be that of the change stream");
        }
        if (schema.hasPartitions()) {
            throw refused("table %s exists".formatted(table), "Specify another name, or drop it");
        }
        new BeamExport(target, schema.tables(), calls).write(rows);
        return rows.describe(table);
    }

    private static BeamRows rows(PartitionStorage source) {
        var subscription = source.subscription()
                .orElseThrow(() -> refused("the subscription was never opened", "There is nothing to export"));
        if (subscription.partitionMode() != PartitionMode.IMMUTABLE_KEY_RANGE) {
            throw refused(
                    "the change stream has partition mode %s, and a table of Apache Beam cannot hold the moves of its key ranges"
                            .formatted(subscription.partitionMode()),
                    "Start a new pipeline at the low watermark");
        }
        var lineage = source.lineage();
        if (source.workers().stream().anyMatch(worker -> worker.alive())
                || lineage.partitions().stream().anyMatch(partition -> partition.leaseLive())) {
            throw refused("workers are alive", "Stop them, wait until their leases have expired, and try again");
        }
        if (lineage.lowWatermark().isEmpty()) {
            throw refused("all partitions are finished", "There is nothing to export");
        }
        if (lineage.partitions().stream().anyMatch(partition -> isOfSnapshot(partition, subscription))) {
            throw refused(
                    "the snapshot is not read yet, and Apache Beam cannot read its partitions",
                    "Let workers finish the snapshot first");
        }
        return new BeamRows(subscription, lineage, source.proofs());
    }

    private static boolean isOfSnapshot(PartitionMetadata partition, SubscriptionRecord subscription) {
        PartitionToken queried = partition.token().isRoot() ? subscription.initialQuery() : partition.token();
        return !partition.isFinished() && queried.isOfSnapshot();
    }

    private static StorageException refused(String why, String advice) {
        return new StorageException("nothing was exported: %s. %s".formatted(why, advice), false, null);
    }

    private void write(BeamRows rows) {
        Instant now = new MetadataReads(target.client(), tables, calls)
                .atOneMoment("reading the time", (snapshot, readAt) -> readAt);
        calls.run("creating the table", () -> target.updateDdl(ddl()));
        List<Mutation> mutations = rows.mutations(tables.partitions(), now);
        for (int from = 0; from < mutations.size(); from += BATCH) {
            List<Mutation> part = mutations.subList(from, Math.min(from + BATCH, mutations.size()));
            calls.run("writing the partitions", () -> target.client().write(part));
        }
    }

    /** Returns the statements that create the table and the indexes as Beam does. */
    private List<String> ddl() {
        String name = tables.partitions();
        return List.of(
                new MetadataDdl(tables).partitionsOfBeam(),
                "CREATE INDEX WatermarkIdx_%1$s ON %1$s (Watermark) STORING (State)".formatted(name),
                "CREATE INDEX CreatedAtIdx_%1$s ON %1$s (CreatedAt, StartTimestamp)".formatted(name));
    }
}
