package dev.spream.emulator.internal.server;

import com.google.protobuf.ByteString;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.KeySet;
import com.google.spanner.v1.Partition;
import com.google.spanner.v1.PartitionOptions;
import com.google.spanner.v1.PartitionQueryRequest;
import com.google.spanner.v1.PartitionReadRequest;
import com.google.spanner.v1.PartitionResponse;
import com.google.spanner.v1.ReadRequest;
import com.google.spanner.v1.RequestOptions;
import com.google.spanner.v1.TransactionSelector;
import dev.spream.emulator.internal.database.EmulatedDatabase;
import dev.spream.emulator.internal.database.ReadContext;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.QueryPartitioning;
import dev.spream.emulator.internal.sql.SqlParameters;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Partitions of queries and reads, for clients that process them in parallel. There are two: one has all rows, and one has
 * none, as in Spanner some may. A token belongs to the query or read that it was made for.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/reads#read_data_in_parallel">reading data in parallel</a>
 */
record PartitionedReads(Sessions sessions) {
    private static final String ALL = "all-";
    private static final String NONE = "none-";

    PartitionResponse of(PartitionQueryRequest request) {
        String subject = subject(
                request.getSession(), request.getSql(), request.getParams().getFieldsMap(), request.getParamTypesMap());
        return partitions(
                request.getSession(),
                request.getTransaction(),
                request.getPartitionOptions(),
                subject,
                (database, context) -> {
                    database.query(
                            request.getSql(),
                            new SqlParameters(request.getParams(), request.getParamTypesMap()),
                            context,
                            true);
                    QueryPartitioning.check(request.getSql(), database.dialect());
                });
    }

    PartitionResponse of(PartitionReadRequest request) {
        String subject = subject(
                request.getSession(),
                request.getTable(),
                request.getIndex(),
                request.getColumnsList(),
                request.getKeySet());
        return partitions(
                request.getSession(),
                request.getTransaction(),
                request.getPartitionOptions(),
                subject,
                (database, context) -> database.read(
                        ReadRequest.newBuilder()
                                .setTable(request.getTable())
                                .setIndex(request.getIndex())
                                .addAllColumns(request.getColumnsList())
                                .build(),
                        context));
    }

    private PartitionResponse partitions(
            String session,
            TransactionSelector transaction,
            PartitionOptions options,
            String subject,
            BiConsumer<EmulatedDatabase, ReadContext> check) {
        if (transaction.hasSingleUse()
                || transaction.getSelectorCase() == TransactionSelector.SelectorCase.SELECTOR_NOT_SET) {
            throw Errors.invalidArgument("Partition reads may not be performed in single-use transactions, since the"
                    + " response needs to be reused.");
        }
        if (options.getMaxPartitions() < 0 || options.getPartitionSizeBytes() < 0) {
            throw Errors.invalidArgument("Invalid partition_options: neither number may be negative.");
        }
        EmulatedDatabase database = sessions.databaseOf(session);
        Function<RequestTransaction, PartitionResponse> response = scope -> {
            if (!(scope.context() instanceof ReadContext.Within)) {
                throw Errors.invalidArgument("Partitioned reads can only be performed in a read-only transaction.");
            }
            check.accept(database, scope.context());
            PartitionResponse.Builder partitions = PartitionResponse.newBuilder();
            for (String kind : List.of(ALL, NONE)) {
                partitions.addPartitions(
                        Partition.newBuilder().setPartitionToken(ByteString.copyFromUtf8(kind + subject)));
            }
            scope.begun().ifPresent(partitions::setTransaction);
            return partitions.build();
        };
        return RequestTransaction.run(sessions, session, transaction, RequestOptions.getDefaultInstance(), response);
    }

    /**
     * Returns whether the query is one of the partition without rows.
     *
     * @throws io.grpc.StatusRuntimeException INVALID_ARGUMENT if its token belongs to another query
     */
    static boolean isEmpty(ExecuteSqlRequest request) {
        return isEmpty(request.getPartitionToken(), () -> subject(request));
    }

    /** Returns the read as it is to be executed: without keys if it is of the partition without rows. */
    static ReadRequest read(ReadRequest request) {
        if (!request.getPartitionToken().isEmpty() && request.getLimit() > 0) {
            throw Errors.invalidArgument("A limit cannot be used when a partition_token is specified.");
        }
        return isEmpty(request.getPartitionToken(), () -> subject(request))
                ? request.toBuilder().setKeySet(KeySet.getDefaultInstance()).build()
                : request;
    }

    private static boolean isEmpty(ByteString token, Supplier<String> subjectOf) {
        if (token.isEmpty()) {
            return false;
        }
        String subject = subjectOf.get();
        if (token.equals(ByteString.copyFromUtf8(ALL + subject))) {
            return false;
        }
        if (token.equals(ByteString.copyFromUtf8(NONE + subject))) {
            return true;
        }
        throw Errors.invalidArgument("Invalid partition token.");
    }

    private static String subject(ExecuteSqlRequest request) {
        return subject(
                request.getSession(), request.getSql(), request.getParams().getFieldsMap(), request.getParamTypesMap());
    }

    private static String subject(ReadRequest request) {
        return subject(
                request.getSession(),
                request.getTable(),
                request.getIndex(),
                request.getColumnsList(),
                request.getKeySet());
    }

    /** Returns a text that is equal for equal parts; maps are sorted, since messages do not order theirs. */
    private static String subject(Object... parts) {
        StringBuilder text = new StringBuilder();
        for (Object part : parts) {
            Object sorted = part instanceof Map<?, ?> map ? new TreeMap<>(map) : part;
            text.append(sorted).append('\n');
        }
        return digest(text.toString());
    }

    private static String digest(String subject) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(subject.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
