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
 * Holds the calls that have a {@link Prefetch} to it; all others pass untouched, and so does a call that another of these
 * interceptors holds already.
 *
 * <p>The size of a message is taken where the transport cuts it out of the stream, on the thread of the connection, and the
 * next one is asked for right there. The transport then continues with what it has received already: no thread is woken for
 * it, and no message waits for a round trip. Where the transport does not know the size, because the message is compressed,
 * it is taken from the decoded message instead.
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

    /** Sees the messages of a call as the transport does. */
    private static final class Meter extends ClientStreamTracer.Factory {
        /** Null until the call is built, before it starts. */
        private volatile @Nullable LimitedCall<?, ?> call;

        /** The number of the one message under way whose size the transport does not know. */
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
