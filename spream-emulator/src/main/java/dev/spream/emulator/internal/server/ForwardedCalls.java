package dev.spream.emulator.internal.server;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Forwards calls of any method to another server as they are, without knowledge of their messages. */
final class ForwardedCalls extends HandlerRegistry {
    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
            try (message) {
                return message.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    private final Channel other;

    ForwardedCalls(Channel other) {
        this.other = other;
    }

    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String methodName, @Nullable String authority) {
        MethodDescriptor<byte[], byte[]> method = MethodDescriptor.<byte[], byte[]>newBuilder(BYTES, BYTES)
                .setFullMethodName(methodName)
                .setType(MethodDescriptor.MethodType.UNKNOWN)
                .build();
        return ServerMethodDefinition.create(method, this::forward);
    }

    private ServerCall.Listener<byte[]> forward(ServerCall<byte[], byte[]> served, Metadata headers) {
        CallOptions options = CallOptions.DEFAULT.withDeadline(Context.current().getDeadline());
        ClientCall<byte[], byte[]> forwarded = other.newCall(served.getMethodDescriptor(), options);
        Requests requests = new Requests(served, forwarded);
        forwarded.start(new Responses(served, requests), headers);
        served.request(1);
        forwarded.request(1);
        return requests;
    }

    /** The client's messages; the next one is asked for when the other server has room for it. */
    private static final class Requests extends ServerCall.Listener<byte[]> {
        private final ServerCall<byte[], byte[]> served;
        private final ClientCall<byte[], byte[]> forwarded;
        private final AtomicBoolean waits = new AtomicBoolean();
        private final AtomicBoolean responseWaits = new AtomicBoolean();

        Requests(ServerCall<byte[], byte[]> served, ClientCall<byte[], byte[]> forwarded) {
            this.served = served;
            this.forwarded = forwarded;
        }

        @Override
        public void onMessage(byte[] message) {
            forwarded.sendMessage(message);
            waits.set(true);
            goOn();
        }

        void goOn() {
            if (forwarded.isReady() && waits.compareAndSet(true, false)) {
                served.request(1);
            }
        }

        @Override
        public void onHalfClose() {
            forwarded.halfClose();
        }

        @Override
        public void onCancel() {
            forwarded.cancel("the client has disconnected", null);
        }

        /** The client has room for responses. */
        @Override
        public void onReady() {
            if (responseWaits.compareAndSet(true, false)) {
                forwarded.request(1);
            }
        }

        void responseSent() {
            responseWaits.set(true);
            if (served.isReady()) {
                onReady();
            }
        }
    }

    /** The other server's messages; the next one is asked for when the client has room for it. */
    private static final class Responses extends ClientCall.Listener<byte[]> {
        private final ServerCall<byte[], byte[]> served;
        private final Requests requests;

        Responses(ServerCall<byte[], byte[]> served, Requests requests) {
            this.served = served;
            this.requests = requests;
        }

        @Override
        public void onHeaders(Metadata headers) {
            served.sendHeaders(headers);
        }

        @Override
        public void onMessage(byte[] message) {
            served.sendMessage(message);
            requests.responseSent();
        }

        @Override
        public void onReady() {
            requests.goOn();
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            served.close(status, trailers);
        }
    }
}
