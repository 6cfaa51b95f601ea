package dev.spream.emulator.internal.stream;

import com.google.protobuf.ByteString;
import com.google.protobuf.Value;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.ResultSetMetadata;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** Sends rows to a client, with the result's type in the first message only. Confined to its query's thread. */
final class RowSink {
    private final StreamObserver<PartialResultSet> out;
    private final ResultSetMetadata metadata;
    private boolean opened;

    RowSink(StreamObserver<PartialResultSet> out, ResultSetMetadata metadata) {
        this.out = out;
        this.metadata = metadata;
    }

    /** Sends rows in one message; a client that has received them may resume at the token. */
    void send(List<Value> rows, ByteString resumeToken) {
        PartialResultSet.Builder message =
                PartialResultSet.newBuilder().addAllValues(rows).setResumeToken(resumeToken);
        if (!opened) {
            message.setMetadata(metadata);
            opened = true;
        }
        out.onNext(message.build());
    }
}
