package dev.spream.storage.spanner.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Value;
import com.google.protobuf.util.Values;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.ResultSetMetadata;
import com.google.spanner.v1.SpannerGrpc;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EncodedValuesTest {
    private static final CallOptions ENCODED = CallOptions.DEFAULT.withOption(EncodedValues.OF_CALL, true);
    private static final Value ROW =
            Values.of(List.of(Values.of("a"), Values.of(List.of(Values.of("b"), Values.of("c")))));

    private final MethodDescriptor<ExecuteSqlRequest, PartialResultSet> method =
            intercept(SpannerGrpc.getExecuteStreamingSqlMethod(), ENCODED);

    @Test
    void a_value_keeps_its_bytes_and_has_no_content() {
        PartialResultSet received =
                parse(PartialResultSet.newBuilder().addValues(ROW).build());

        assertThat(received.getValuesList()).hasSize(1);
        assertThat(received.getValues(0).getKindCase()).isEqualTo(Value.KindCase.KIND_NOT_SET);
        assertThat(EncodedValues.of(received.getValues(0))).isEqualTo(ROW.toByteString());
    }

    @Test
    void all_else_in_a_result_set_is_decoded() {
        PartialResultSet sent = PartialResultSet.newBuilder()
                .setMetadata(ResultSetMetadata.newBuilder()
                        .setRowType(StructType.newBuilder()
                                .addFields(StructType.Field.newBuilder()
                                        .setType(Type.newBuilder().setCode(TypeCode.JSON)))))
                .addValues(ROW)
                .setResumeToken(ByteString.copyFromUtf8("here"))
                .setLast(true)
                .build();

        PartialResultSet received = parse(sent);

        assertThat(received.toBuilder().clearValues().build())
                .isEqualTo(sent.toBuilder().clearValues().build());
    }

    @Test
    void a_value_in_chunks_is_decoded_so_that_the_client_can_merge_it() {
        PartialResultSet first = chunk(Values.of("one, "), true);
        PartialResultSet second = chunk(Values.of("two, "), true);
        PartialResultSet third = chunk(Values.of("three"), false);

        assertThat(parse(first)).isEqualTo(first);
        assertThat(parse(PartialResultSet.getDefaultInstance())).isEqualTo(PartialResultSet.getDefaultInstance());
        assertThat(parse(second)).isEqualTo(second);
        assertThat(parse(third)).isEqualTo(third);
        assertThat(EncodedValues.of(parse(chunk(ROW, false)).getValues(0))).isEqualTo(ROW.toByteString());
    }

    @Test
    void the_encoding_of_a_value_that_was_decoded_is_what_was_sent() {
        assertThat(EncodedValues.of(ROW)).isEqualTo(ROW.toByteString());
    }

    @Test
    void other_calls_are_not_changed() {
        var query = SpannerGrpc.getExecuteStreamingSqlMethod();
        assertThat(intercept(query, CallOptions.DEFAULT)).isSameAs(query);
        var read = SpannerGrpc.getStreamingReadMethod();
        assertThat(intercept(read, ENCODED)).isSameAs(read);
    }

    @Test
    void a_malformed_result_set_fails_the_call() {
        byte[] cut = {PartialResultSet.VALUES_FIELD_NUMBER << 3 | 2, 100};

        assertThatThrownBy(() -> method.parseResponse(new ByteArrayInputStream(cut)))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageStartingWith("INTERNAL: malformed result set: ");
    }

    private PartialResultSet parse(PartialResultSet sent) {
        return method.parseResponse(new ByteArrayInputStream(sent.toByteArray()));
    }

    private static PartialResultSet chunk(Value value, boolean continues) {
        return PartialResultSet.newBuilder()
                .addValues(value)
                .setChunkedValue(continues)
                .build();
    }

    /** Returns the method as the transport gets it. */
    private static <ReqT, RespT> MethodDescriptor<ReqT, RespT> intercept(
            MethodDescriptor<ReqT, RespT> method, CallOptions options) {
        Transport transport = new Transport();
        new EncodedValues().interceptCall(method, options, transport);
        @SuppressWarnings("unchecked")
        var received = (MethodDescriptor<ReqT, RespT>) requireNonNull(transport.method);
        return received;
    }

    private static final class Transport extends Channel {
        private @Nullable MethodDescriptor<?, ?> method;

        @Override
        @SuppressWarnings("NullAway") // no call is made
        public <ReqT, RespT> ClientCall<ReqT, RespT> newCall(
                MethodDescriptor<ReqT, RespT> called, CallOptions options) {
            method = called;
            return null;
        }

        @Override
        public String authority() {
            return "test";
        }
    }
}
