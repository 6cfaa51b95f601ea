package dev.spream.emulator.internal.upstream;

import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.spanner.v1.CreateSessionRequest;
import com.google.spanner.v1.DeleteSessionRequest;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.KeySet;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.ReadRequest;
import com.google.spanner.v1.ResultSet;
import com.google.spanner.v1.SpannerGrpc;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.TransactionOptions;
import com.google.spanner.v1.TransactionOptions.ReadOnly;
import com.google.spanner.v1.TransactionSelector;
import com.google.spanner.v1.Type;
import dev.spream.emulator.internal.database.WireTimestamps;
import dev.spream.emulator.internal.sql.Types;
import dev.spream.emulator.internal.sql.Values;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads of one database of the other server, outside of its users' transactions. Each has a time limit. Safe for use by
 * many threads.
 */
final class UpstreamClient implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(UpstreamClient.class);
    private static final long SECONDS = 20;

    private final SpannerGrpc.SpannerBlockingStub stub;
    private final String database;
    private volatile String session;

    /** Creates a client with a session of its own. */
    UpstreamClient(Channel channel, String database) {
        // A call of a client that disconnects must not end a look that serves others, too.
        this.stub = SpannerGrpc.newBlockingStub(channel);
        this.database = database;
        this.session = newSession();
    }

    private String newSession() {
        return call(calls -> calls.createSession(
                        CreateSessionRequest.newBuilder().setDatabase(database).build()))
                .getName();
    }

    private <T> T call(Function<SpannerGrpc.SpannerBlockingStub, T> call) {
        Context before = Context.ROOT.attach();
        try {
            return call.apply(stub.withDeadlineAfter(SECONDS, TimeUnit.SECONDS));
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.UNKNOWN) {
                throw e;
            }
            // What a connection that closes leaves to the calls on it; clients are to try again.
            throw Status.UNAVAILABLE
                    .withDescription("the server that holds the databases closed the connection: " + e.getMessage())
                    .withCause(e)
                    .asRuntimeException();
        } finally {
            Context.ROOT.detach(before);
        }
    }

    /** Makes a call in the session, in a new one if the server has forgotten it. */
    private <T> T inSession(Function<String, T> call) {
        try {
            return call.apply(session);
        } catch (StatusRuntimeException e) {
            boolean forgotten = e.getStatus().getCode() == Status.Code.NOT_FOUND
                    && String.valueOf(e.getStatus().getDescription()).contains("Session not found");
            if (!forgotten) {
                throw e;
            }
            session = newSession();
            return call.apply(session);
        }
    }

    /** Returns a time up to which all commits are visible: the read timestamp of a strong read. */
    Instant readTimestamp() {
        TransactionOptions strong = TransactionOptions.newBuilder()
                .setReadOnly(ReadOnly.newBuilder().setStrong(true).setReturnReadTimestamp(true))
                .build();
        ResultSet result = inSession(name -> call(calls -> calls.executeSql(ExecuteSqlRequest.newBuilder()
                .setSession(name)
                .setTransaction(TransactionSelector.newBuilder().setSingleUse(strong))
                .setSql("SELECT 1")
                .build())));
        return WireTimestamps.instant(result.getMetadata().getTransaction().getReadTimestamp());
    }

    /** Returns the rows of a query whose parameters are strings. */
    List<List<String>> strings(String sql, Map<String, String> parameters) {
        Struct.Builder values = Struct.newBuilder();
        parameters.forEach((name, value) -> values.putFields(name, Values.string(value)));
        ExecuteSqlRequest.Builder query =
                ExecuteSqlRequest.newBuilder().setSql(sql).setParams(values);
        parameters.keySet().forEach(name -> query.putParamTypes(name, Types.STRING));
        ResultSet result = inSession(
                name -> call(calls -> calls.executeSql(query.setSession(name).build())));
        return result.getRowsList().stream()
                .map(row ->
                        row.getValuesList().stream().map(Value::getStringValue).toList())
                .toList();
    }

    /** The values of a result, row after row, with the type of a row. */
    record Result(StructType rowType, List<Value> values) {}

    /** Returns the result of a change stream query, which must have an end that has passed, or name no partition. */
    Result changes(String sql, Map<String, Value> parameters, Map<String, Type> types) {
        ExecuteSqlRequest.Builder query = ExecuteSqlRequest.newBuilder()
                .setSql(sql)
                .setParams(Struct.newBuilder().putAllFields(parameters))
                .putAllParamTypes(types);
        return inSession(name -> call(
                calls -> result(calls.executeStreamingSql(query.setSession(name).build()))));
    }

    /** Returns rows by their keys as of a timestamp, in any order; a row that does not exist then is left out. */
    List<List<Value>> rows(String table, List<String> columns, List<ListValue> keys, Instant timestamp) {
        TransactionOptions exact = TransactionOptions.newBuilder()
                .setReadOnly(ReadOnly.newBuilder().setReadTimestamp(WireTimestamps.timestamp(timestamp)))
                .build();
        ReadRequest.Builder read = ReadRequest.newBuilder()
                .setTransaction(TransactionSelector.newBuilder().setSingleUse(exact))
                .setTable(table)
                .addAllColumns(columns)
                .setKeySet(KeySet.newBuilder().addAllKeys(keys));
        List<Value> values = inSession(name -> call(calls ->
                        result(calls.streamingRead(read.setSession(name).build()))))
                .values();
        List<List<Value>> rows = new ArrayList<>();
        for (int from = 0; from < values.size(); from += columns.size()) {
            rows.add(values.subList(from, from + columns.size()));
        }
        return rows;
    }

    private static Result result(Iterator<PartialResultSet> parts) {
        StructType rowType = StructType.getDefaultInstance();
        List<Value> values = new ArrayList<>();
        boolean divided = false;
        while (parts.hasNext()) {
            PartialResultSet part = parts.next();
            if (part.hasMetadata()) {
                rowType = part.getMetadata().getRowType();
            }
            List<Value> next = part.getValuesList();
            if (divided && !next.isEmpty()) {
                values.add(joined(values.removeLast(), next.getFirst()));
                next = next.subList(1, next.size());
            }
            values.addAll(next);
            divided = part.getChunkedValue();
        }
        return new Result(rowType, values);
    }

    /**
     * Joins the two parts of a value: texts and lists are appended, and so are the two parts of a list's element.
     *
     * @see <a href="https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#partialresultset">PartialResultSet</a>
     */
    static Value joined(Value first, Value second) {
        if (!first.hasListValue()) {
            return Values.string(first.getStringValue() + second.getStringValue());
        }
        List<Value> head = new ArrayList<>(first.getListValue().getValuesList());
        List<Value> tail = new ArrayList<>(second.getListValue().getValuesList());
        if (!head.isEmpty() && !tail.isEmpty() && isJoined(head.getLast(), tail.getFirst())) {
            head.add(joined(head.removeLast(), tail.removeFirst()));
        }
        head.addAll(tail);
        return Values.list(head);
    }

    private static boolean isJoined(Value end, Value start) {
        return (end.hasStringValue() && start.hasStringValue()) || (end.hasListValue() && start.hasListValue());
    }

    /** Deletes the session, if the server still answers. */
    @Override
    public void close() {
        try {
            call(calls -> calls.deleteSession(
                    DeleteSessionRequest.newBuilder().setName(session).build()));
        } catch (StatusRuntimeException e) {
            log.debug("the session {} stays until its server forgets it: {}", session, e.getStatus());
        }
    }
}
