package dev.spream.storage.spanner;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.ReadOnlyTransaction;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import dev.spream.core.partition.AuditedCorrection;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.storage.spanner.client.DatabaseCalls;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The reads of a storage. Data that must be consistent are read in one query or one read-only transaction, which takes
 * no locks. Safe for use by many threads.
 */
final class MetadataReads {
    private static final Comparator<PartitionMetadata> LINEAGE_ORDER =
            Comparator.comparing(PartitionMetadata::startTimestamp).thenComparing(PartitionMetadata::token);

    private static final int ATTEMPTS = 5;

    /**
     * The server's errors for a transaction that it has ended, which it uses for other failures too, where another
     * attempt is harmless.
     */
    private static final Set<ErrorCode> ENDED = EnumSet.of(ErrorCode.FAILED_PRECONDITION, ErrorCode.NOT_FOUND);

    private static final Duration WHOLE_TABLE = Duration.ofMinutes(1);
    private static final String READ_AT = "ReadAt";

    private final DatabaseClient client;
    private final MetadataTables tables;
    private final DatabaseCalls calls;
    private final DatabaseCalls wholeTableCalls;

    MetadataReads(DatabaseClient client, MetadataTables tables, DatabaseCalls calls) {
        this.client = client;
        this.tables = tables;
        this.calls = calls;
        this.wholeTableCalls = calls.within(WHOLE_TABLE);
    }

    Optional<SubscriptionRecord> subscription() {
        return calls.run(
                        "reading the subscription",
                        () -> Optional.ofNullable(client.singleUse()
                                .readRow(tables.subscription(), SubscriptionRows.KEY, SubscriptionRows.COLUMNS)))
                .flatMap(SubscriptionRows::record);
    }

    /** Returns when the subscription was stored or adopted; empty if it was adopted and not opened since. */
    Optional<Instant> createdAt() {
        List<String> columns = List.of(MetadataDdl.STREAM_NAME, MetadataColumn.CREATED_AT.columnName);
        return calls.run(
                        "reading the subscription",
                        () -> Optional.ofNullable(
                                client.singleUse().readRow(tables.subscription(), SubscriptionRows.KEY, columns)))
                .filter(row -> !row.isNull(MetadataDdl.STREAM_NAME))
                .map(row -> PartitionRows.instant(row, MetadataColumn.CREATED_AT));
    }

    Lineage lineage() {
        Timed rows = timed(wholeTableCalls, "reading the lineage", tables.partitions(), MetadataColumn.NAMES);
        return lineage(rows.rows(), rows.readAt());
    }

    static Lineage lineage(List<Struct> rows, Instant readAt) {
        return Lineage.of(
                rows.stream()
                        .map(row -> PartitionRows.metadata(row, readAt))
                        .sorted(LINEAGE_ORDER)
                        .toList(),
                readAt);
    }

    /** Returns the stored rows of these partitions. */
    List<PartitionRow> partitions(Collection<PartitionToken> tokens) {
        return calls.run("reading partitions", () -> {
            return all(client.singleUse()
                            .read(tables.partitions(), WriteTransaction.keys(tokens), MetadataColumn.NAMES))
                    .stream()
                    .map(PartitionRow::stored)
                    .toList();
        });
    }

    List<WorkerRegistration> workers() {
        Comparator<WorkerRegistration> order = Comparator.comparing(WorkerRegistration::registeredAt)
                .thenComparing(worker -> worker.worker().value());
        Timed rows = timed(calls, "reading the workers", tables.workers(), WorkerRows.COLUMNS);
        return rows.rows().stream()
                .map(row -> WorkerRows.registration(row, rows.readAt()))
                .sorted(order)
                .toList();
    }

    List<FinishedPartition> proofs() {
        return wholeTableCalls.run("reading the proofs", () -> proofs(client.singleUse(), tables));
    }

    static List<FinishedPartition> proofs(ReadContext context, MetadataTables tables) {
        return all(context.read(tables.proofs(), KeySet.all(), FinishedPartitionRows.NAMES)).stream()
                .map(FinishedPartitionRows::proof)
                .sorted(Comparator.comparing(FinishedPartition::startTimestamp).thenComparing(FinishedPartition::token))
                .toList();
    }

    /** Returns the proofs that may be forgotten; empty if there are none. */
    Optional<ProofsToForget> proofsToForget(Instant finishedBefore) {
        return atOneMoment(wholeTableCalls, "reading the proofs to forget", (snapshot, readAt) -> {
            Set<PartitionToken> tokens = FrontierReads.tokens(snapshot, tables, PartitionRows.unfinished());
            return tokens.isEmpty()
                    ? Optional.empty()
                    : new ProofsToForget.Search(snapshot, tables)
                            .find(
                                    finishedBefore,
                                    lineage(
                                            all(snapshot.read(
                                                    tables.partitions(),
                                                    WriteTransaction.keys(tokens),
                                                    MetadataColumn.NAMES)),
                                            readAt));
        });
    }

    /** Returns the corrections in the order of their numbers, which are the key. */
    List<AuditedCorrection> corrections() {
        return calls.run("reading the corrections", () -> {
            return all(client.singleUse().read(tables.corrections(), KeySet.all(), CorrectionRows.COLUMNS)).stream()
                    .map(CorrectionRows::audited)
                    .toList();
        });
    }

    /** Returns a whole table, and Spanner's current time in the same query. */
    private Timed timed(DatabaseCalls within, String what, String table, List<String> columns) {
        String names = columns.stream().map(tables::quoted).collect(Collectors.joining(", "));
        Statement query = Statement.of("SELECT CURRENT_TIMESTAMP AS %s, %s FROM %s"
                .formatted(tables.quoted(READ_AT), names, tables.quoted(table)));
        return within.run(what, () -> {
            List<Struct> rows = all(client.singleUse().executeQuery(query));
            Instant readAt = rows.isEmpty()
                    ? Timestamps.current(client.singleUse())
                    : Timestamps.toInstant(rows.getFirst().getTimestamp(0));
            return new Timed(rows, readAt);
        });
    }

    private record Timed(List<Struct> rows, Instant readAt) {}

    /**
     * Reads in one read-only transaction, and again in another one if the server has ended it, because of a schema
     * change or because this process was suspended for long between two of its reads.
     *
     * @param reading called with the transaction and Spanner's current time in it
     */
    <T> T atOneMoment(String what, Snapshot<T> reading) {
        return atOneMoment(calls, what, reading);
    }

    private <T> T atOneMoment(DatabaseCalls within, String what, Snapshot<T> reading) {
        return within.runInTurn(
                what,
                () -> repeated(() -> {
                    try (ReadOnlyTransaction snapshot = client.readOnlyTransaction()) {
                        return reading.read(snapshot, Timestamps.current(snapshot));
                    }
                }));
    }

    /** Reads at one moment, and at another one if the server no longer has the first. */
    static <T> T repeated(Supplier<T> reads) {
        for (int attempt = 1; ; attempt++) {
            try {
                return reads.get();
            } catch (SpannerException e) {
                if (!ENDED.contains(e.getErrorCode()) || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    static List<Struct> all(ResultSet rows) {
        List<Struct> read = new ArrayList<>();
        try (rows) {
            while (rows.next()) {
                read.add(rows.getCurrentRowAsStruct());
            }
        }
        return read;
    }

    /** The reads of one snapshot. */
    interface Snapshot<T> {
        T read(ReadContext snapshot, Instant readAt);
    }
}
