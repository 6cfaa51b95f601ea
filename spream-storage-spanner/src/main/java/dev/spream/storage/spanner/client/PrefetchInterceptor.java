package dev.spream.storage.spanner.client;

import com.google.protobuf.MessageLite;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientStreamTracer;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * Applies the {@link Prefetch} of calls that have one. Other calls are not changed, nor are calls to which another of
 * these interceptors applies it already.
 *
 * <p>The size of a message is read where the transport deframes it, on the thread of the connection, and the next one
 * is requested there. The transport then continues with data that it has already received, so no thread is woken and no
 * message waits for a round trip. If the transport does not know the size, because the message is compressed, that of
 * the decoded message is used.
 */
public final class PrefetchInterceptor implements ClientInterceptor {

    @Override
    public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
            MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
        Prefetch prefetch = options.getOption(Prefetch.OF_CALL);
        if (prefetch == null || !prefetch.claim()) {
            return next.newCall(method, options);
        }
        Meter meter = new Meter();
        var call = new LimitedCall<>(next.newCall(method, options.withStreamTracerFactory(meter)), prefetch, meter);
        meter.call = call;
        return call;
    }

    private static final class LimitedCall<ReqT, RespT> extends SimpleForwardingClientCall<ReqT, RespT> {
        private final Prefetch prefetch;
        private final Meter meter;

        LimitedCall(ClientCall<ReqT, RespT> call, Prefetch prefetch, Meter meter) {
            super(call);
            this.prefetch = prefetch;
            this.meter = meter;
        }

        @Override
        public void request(int messages) {
            if (prefetch.request(messages)) {
                super.request(1);
            }
        }

        void arrived(long size) {
            if (prefetch.arrived(size)) {
                super.request(1);
            }
        }

        @Override
        public void start(Listener<RespT> listener, Metadata headers) {
            super.start(
                    new SimpleForwardingClientCallListener<>(listener) {
                        private int seqNo;

                        @Override
                        public void onMessage(RespT message) {
                            if (seqNo++ == meter.unknownSize) {
                                arrived(((MessageLite) message).getSerializedSize());
                            }
                            super.onMessage(message);
                        }
                    },
                    headers);
        }
    }

    /** Observes the messages of a call in the transport. */
    private static final class Meter extends ClientStreamTracer.Factory {
        /** Null until the call is built, before it starts. */
        private volatile @Nullable LimitedCall<?, ?> call;

        /** The number of the message in progress whose size the transport does not know. */
        private volatile int unknownSize = -1;

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void inboundMessageRead(int seqNo, long wireSize, long uncompressedSize) {
                    LimitedCall<?, ?> limited = call;
                    if (uncompressedSize < 0 || limited == null) {
                        unknownSize = seqNo;
                        return;
                    }
                    limited.arrived(uncompressedSize);
                }
            };
        }
    }
}
