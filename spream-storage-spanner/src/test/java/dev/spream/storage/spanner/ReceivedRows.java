package dev.spream.storage.spanner;

import com.google.spanner.v1.PartialResultSet;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the requests of a client, and the rows that it receives, none of which has more than one message. */
final class ReceivedRows implements ClientInterceptor {
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger rows = new AtomicInteger();

    @Override
    public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
            MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
        requests.incrementAndGet();
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void start(Listener<RespT> listener, Metadata headers) {
                super.start(new CountingListener<>(listener), headers);
            }
        };
    }

    private final class CountingListener<T> extends SimpleForwardingClientCallListener<T> {
        private int columns = 1;

        private CountingListener(ClientCall.Listener<T> listener) {
            super(listener);
        }

        @Override
        public void onMessage(T message) {
            if (message instanceof PartialResultSet result) {
                if (result.hasMetadata()) {
                    columns = result.getMetadata().getRowType().getFieldsCount();
                }
                rows.addAndGet(result.getValuesCount() / columns);
            }
            super.onMessage(message);
        }
    }

    void reset() {
        requests.set(0);
        rows.set(0);
    }

    int requests() {
        return requests.get();
    }

    int rows() {
        return rows.get();
    }
}
