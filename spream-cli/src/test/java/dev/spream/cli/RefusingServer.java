package dev.spream.cli;

import io.grpc.Grpc;
import io.grpc.HandlerRegistry;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** A gRPC server that answers every call with the same status. */
final class RefusingServer implements AutoCloseable {
    private final Server server;

    private RefusingServer(Server server) {
        this.server = server;
    }

    static RefusingServer start(Status status) throws IOException {
        return new RefusingServer(Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
                .fallbackHandlerRegistry(new EveryMethod(status))
                .build()
                .start());
    }

    String host() {
        return "127.0.0.1:" + server.getPort();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    private static final class EveryMethod extends HandlerRegistry {
        private final Status status;

        EveryMethod(Status status) {
            this.status = status;
        }

        @Override
        public ServerMethodDefinition<byte[], byte[]> lookupMethod(String name, @Nullable String authority) {
            MethodDescriptor<byte[], byte[]> method = MethodDescriptor.<byte[], byte[]>newBuilder()
                    .setType(MethodDescriptor.MethodType.UNKNOWN)
                    .setFullMethodName(name)
                    .setRequestMarshaller(new Bytes())
                    .setResponseMarshaller(new Bytes())
                    .build();
            return ServerMethodDefinition.create(method, (call, headers) -> {
                call.close(status, new Metadata());
                return new ServerCall.Listener<>() {};
            });
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
