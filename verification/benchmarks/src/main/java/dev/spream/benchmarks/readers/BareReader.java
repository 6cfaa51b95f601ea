package dev.spream.benchmarks.readers;

import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.spanner.v1.CreateSessionRequest;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.SpannerGrpc;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.benchmarks.harness.ChildJvm;
import dev.spream.benchmarks.harness.EmulatorProcess;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The floor of a reader: bare calls of the protocol, of which it takes the keys of the rows and the tokens of children, and
 * nothing else. It starts a child with its first parent's end, keeps no position and repeats nothing that fails. Arguments:
 * the emulator's host, the start, and the file of {@link Receipts}.
 */
final class BareReader {
    private static final String QUERY = "SELECT ChangeRecord FROM READ_" + EmulatorProcess.STREAM
            + "(start_timestamp => @start, end_timestamp => NULL, partition_token => @token,"
            + " heartbeat_milliseconds => 10000)";
    private static final int MODS = 6; // the field of a data change record

    private final SpannerGrpc.SpannerStub spanner;
    private final String session;
    private final Receipts receipts;
    private final Set<String> started = ConcurrentHashMap.newKeySet();

    private BareReader(ManagedChannel channel, Receipts receipts) {
        this.spanner = SpannerGrpc.newStub(channel);
        this.session = SpannerGrpc.newBlockingStub(channel)
                .createSession(CreateSessionRequest.newBuilder()
                        .setDatabase(EmulatorProcess.DATABASE)
                        .build())
                .getName();
        this.receipts = receipts;
    }

    public static void main(String[] args) throws Exception {
        ManagedChannel channel =
                ManagedChannelBuilder.forTarget(args[0]).usePlaintext().build();
        new BareReader(channel, Receipts.open(Path.of(args[2])))
                .read(
                        text(args[1]),
                        Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build());
        ChildJvm.awaitParent();
    }

    private static Value text(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    private void read(Value start, Value token) {
        ExecuteSqlRequest query = ExecuteSqlRequest.newBuilder()
                .setSession(session)
                .setSql(QUERY)
                .setParams(Struct.newBuilder().putFields("start", start).putFields("token", token))
                .putParamTypes(
                        "start", Type.newBuilder().setCode(TypeCode.TIMESTAMP).build())
                .putParamTypes(
                        "token", Type.newBuilder().setCode(TypeCode.STRING).build())
                .build();
        spanner.executeStreamingSql(query, new StreamObserver<>() {
            @Override
            public void onNext(PartialResultSet rows) {
                if (rows.getChunkedValue()) {
                    throw new IllegalStateException("a row comes in several messages");
                }
                rows.getValuesList().forEach(BareReader.this::take);
            }

            @Override
            public void onError(Throwable failure) {
                failure.printStackTrace();
                Runtime.getRuntime().halt(1);
            }

            @Override
            public void onCompleted() {}
        });
    }

    private void take(Value row) {
        for (Value changeRecord : list(row)) {
            List<Value> kinds = list(changeRecord);
            for (Value data : list(kinds.get(0))) {
                for (Value mod : list(list(data).get(MODS))) {
                    String keys = list(mod).getFirst().getStringValue();
                    receipts.consumed(Long.parseLong(keys, keys.indexOf(':') + 2, keys.length() - 2, 10));
                }
            }
            for (Value children : list(kinds.get(2))) {
                for (Value child : list(list(children).get(2))) {
                    Value token = list(child).getFirst();
                    if (started.add(token.getStringValue())) {
                        read(list(children).getFirst(), token);
                    }
                }
            }
        }
    }

    private static List<Value> list(Value value) {
        return value.getListValue().getValuesList();
    }
}
