package dev.spream.storage.spanner.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.Value;
import com.google.protobuf.WireFormat;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.SpannerGrpc;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the values of a query's rows encoded, so that its reader decodes only what it needs: a message object for each
 * value of a change costs more than all else. Applies to calls with {@link #OF_CALL}; others are not changed.
 *
 * <p>The client passes values on without looking into them, unless a value was sent in several chunks and is to be
 * merged. Those chunks are decoded as usual.
 */
public final class EncodedValues implements ClientInterceptor {
    /** The call option that keeps the values of a streaming query encoded. */
    static final CallOptions.Key<Boolean> OF_CALL = CallOptions.Key.createWithDefault("spream-encoded-values", false);

    private static final int ENCODING = 1_000; // a field that the type does not have

    /** Returns the encoding of a value, whether it was kept or not. */
    public static ByteString of(Value value) {
        List<ByteString> kept = value.getUnknownFields().getField(ENCODING).getLengthDelimitedList();
        return kept.isEmpty() ? value.toByteString() : kept.getFirst();
    }

    @Override
    @SuppressWarnings("unchecked") // the method's responses are of this type
    public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
            MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
        if (!options.getOption(OF_CALL)
                || !method.getFullMethodName()
                        .equals(SpannerGrpc.getExecuteStreamingSqlMethod().getFullMethodName())) {
            return next.newCall(method, options);
        }
        return next.newCall(
                method.toBuilder(method.getRequestMarshaller(), (MethodDescriptor.Marshaller<RespT>) new ResultSets(
                                (MethodDescriptor.Marshaller<PartialResultSet>) method.getResponseMarshaller()))
                        .build(),
                options);
    }

    /** The result sets of one call, which the transport decodes one after the other. */
    private static final class ResultSets implements MethodDescriptor.Marshaller<PartialResultSet> {
        private final MethodDescriptor.Marshaller<PartialResultSet> usual;
        private boolean chunked; // the last value is continued by the next result set

        ResultSets(MethodDescriptor.Marshaller<PartialResultSet> usual) {
            this.usual = usual;
        }

        @Override
        public InputStream stream(PartialResultSet message) {
            return usual.stream(message);
        }

        @Override
        public PartialResultSet parse(InputStream stream) {
            try {
                return parse(
                        stream instanceof KnownLength ? stream.readNBytes(stream.available()) : stream.readAllBytes());
            } catch (IOException e) {
                throw Status.INTERNAL
                        .withDescription("malformed result set: " + e.getMessage())
                        .withCause(e)
                        .asRuntimeException();
            }
        }

        private PartialResultSet parse(byte[] message) throws IOException {
            List<ByteString> values = new ArrayList<>(1);
            ByteArrayOutputStream others = new ByteArrayOutputStream();
            CodedInputStream in = CodedInputStream.newInstance(message);
            while (!in.isAtEnd()) {
                int start = in.getTotalBytesRead();
                int tag = in.readTag();
                if (WireFormat.getTagFieldNumber(tag) == PartialResultSet.VALUES_FIELD_NUMBER) {
                    int length = in.readRawVarint32();
                    in.skipRawBytes(length);
                    values.add(UnsafeByteOperations.unsafeWrap(message, in.getTotalBytesRead() - length, length));
                } else {
                    in.skipField(tag);
                    others.write(message, start, in.getTotalBytesRead() - start);
                }
            }
            PartialResultSet.Builder resultSet = PartialResultSet.newBuilder().mergeFrom(others.toByteArray());
            boolean isContinued = chunked;
            if (!values.isEmpty()) {
                chunked = resultSet.getChunkedValue();
            }
            for (ByteString value : values) {
                resultSet.addValues(isContinued || chunked ? Value.parseFrom(value) : encoded(value));
            }
            return resultSet.build();
        }

        private static Value encoded(ByteString value) {
            return Value.newBuilder()
                    .setUnknownFields(UnknownFieldSet.newBuilder()
                            .addField(
                                    ENCODING,
                                    UnknownFieldSet.Field.newBuilder()
                                            .addLengthDelimited(value)
                                            .build())
                            .build())
                    .build();
        }
    }
}
