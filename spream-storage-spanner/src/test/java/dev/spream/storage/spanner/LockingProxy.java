package dev.spream.storage.spanner;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.Mutation;
import com.google.spanner.v1.ReadRequest;
import com.google.spanner.v1.RollbackRequest;
import com.google.spanner.v1.TransactionSelector;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.HandlerRegistry;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A gRPC proxy in front of an emulator with one lock for a whole database. It locks rows as Spanner does: requests of
 * read-write transactions that touch a locked row wait until it is unlocked, or until their client cancels. Safe for
 * use by many threads.
 */
final class LockingProxy implements Closeable {
    /** The locks of the other, older transaction. */
    enum Held {
        /** Others wait to read the row. */
        EXCLUSIVE,
        /** Others read the row, and wait to commit a change of it. */
        SHARED
    }

    /** A lock of the other transaction on a row. */
    static final class Lock {
        private final Held held;
        private final CompletableFuture<Void> unlocked = new CompletableFuture<>();
        private final CompletableFuture<Void> met = new CompletableFuture<>();
        private final AtomicInteger waits = new AtomicInteger();
        private final AtomicInteger beginnings = new AtomicInteger();

        private Lock(Held held) {
            this.held = held;
        }

        /** Returns the number of requests that have met it. */
        int waits() {
            return waits.get();
        }

        /**
         * Returns how many of them were to begin their transaction: their client cannot roll it back when it cancels,
         * and the server keeps it, with its locks.
         */
        int beginnings() {
            return beginnings.get();
        }

        /** Completes when a request has met it. */
        CompletableFuture<Void> met() {
            return met;
        }

        private CompletableFuture<Void> waitFor(boolean begins) {
            waits.incrementAndGet();
            if (begins) {
                beginnings.incrementAndGet();
            }
            met.complete(null);
            return unlocked;
        }
    }

    private static final String COMMIT = "google.spanner.v1.Spanner/Commit";
    private static final String READ = "google.spanner.v1.Spanner/StreamingRead";
    private static final String ROLLBACK = "google.spanner.v1.Spanner/Rollback";

    /** The additional delay of any request. */
    volatile Duration delay = Duration.ZERO;

    /** The further delay of a commit. */
    volatile Duration commitDelay = Duration.ZERO;

    /** True if commits are executed and their responses lost. */
    volatile boolean losesCommitAnswers;

    /** True if reads outside transactions get no response. */
    volatile boolean losesSnapshots;

    /** The ids of the transactions whose commit has met a lock, and that are not rolled back. */
    final Set<ByteString> waitingCommits = ConcurrentHashMap.newKeySet();

    private final Map<String, Lock> locks = new ConcurrentHashMap<>();
    private final ManagedChannel channel;
    private final Server server;

    /** @param target host and port, with a colon between */
    LockingProxy(String target) throws IOException {
        channel = Grpc.newChannelBuilder(target, InsecureChannelCredentials.create())
                .maxInboundMessageSize(64 << 20)
                .build();
        server = Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
                .maxInboundMessageSize(64 << 20)
                .fallbackHandlerRegistry(new Registry())
                .build()
                .start();
    }

    String host() {
        return "localhost:" + server.getPort();
    }

    /** Locks the row with that key, in whatever table. */
    Lock lock(String key, Held held) {
        Lock lock = new Lock(held);
        locks.put(key, lock);
        return lock;
    }

    void unlock(String key) {
        Lock lock = locks.remove(key);
        if (lock != null) {
            lock.unlocked.complete(null);
        }
    }

    @Override
    public void close() {
        locks.keySet().forEach(this::unlock);
        server.shutdownNow();
        channel.shutdownNow();
    }

    private Stream<Lock> inTheWay(String method, byte[] request) {
        try {
            return switch (method) {
                case READ -> {
                    ReadRequest read = ReadRequest.parseFrom(request);
                    yield isReadWrite(read.getTransaction())
                            ? of(read.getKeySet().getKeysList().stream(), Held.EXCLUSIVE)
                            : Stream.empty();
                }
                case COMMIT -> {
                    CommitRequest commit = CommitRequest.parseFrom(request);
                    yield commit.getMutationsList().stream()
                            .flatMap(this::inTheWay)
                            .peek(lock -> waitingCommits.add(commit.getTransactionId()));
                }
                case ROLLBACK -> {
                    waitingCommits.remove(RollbackRequest.parseFrom(request).getTransactionId());
                    yield Stream.empty();
                }
                default -> Stream.empty();
            };
        } catch (InvalidProtocolBufferException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isSnapshot(String method, byte[] request) {
        try {
            return method.equals(READ)
                    && !isReadWrite(ReadRequest.parseFrom(request).getTransaction());
        } catch (InvalidProtocolBufferException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean begins(byte[] read) {
        try {
            return ReadRequest.parseFrom(read).getTransaction().hasBegin();
        } catch (InvalidProtocolBufferException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isReadWrite(TransactionSelector transaction) {
        return transaction.hasId() || transaction.getBegin().hasReadWrite();
    }

    private Stream<Lock> inTheWay(Mutation mutation) {
        Stream<ListValue> rows =
                switch (mutation.getOperationCase()) {
                    case UPDATE -> mutation.getUpdate().getValuesList().stream();
                    case INSERT -> mutation.getInsert().getValuesList().stream();
                    case INSERT_OR_UPDATE -> mutation.getInsertOrUpdate().getValuesList().stream();
                    default -> Stream.empty();
                };
        return of(rows, Held.SHARED);
    }

    /** Locks on rows whose first value is the key. */
    private Stream<Lock> of(Stream<ListValue> rows, Held held) {
        return rows.map(row -> row.getValues(0))
                .map(Value::getStringValue)
                .flatMap(key -> Stream.ofNullable(locks.get(key)))
                .filter(lock -> lock.held == held);
    }

    private final class Registry extends HandlerRegistry {
        @Override
        public ServerMethodDefinition<?, ?> lookupMethod(String name, @Nullable String authority) {
            MethodDescriptor<byte[], byte[]> method = MethodDescriptor.newBuilder(new Bytes(), new Bytes())
                    .setType(MethodType.SERVER_STREAMING)
                    .setFullMethodName(name)
                    .build();
            return ServerMethodDefinition.create(method, new Forward());
        }
    }

    private final class Forward implements ServerCallHandler<byte[], byte[]> {
        @Override
        public ServerCall.Listener<byte[]> startCall(ServerCall<byte[], byte[]> call, Metadata headers) {
            ClientCall<byte[], byte[]> target = channel.newCall(call.getMethodDescriptor(), CallOptions.DEFAULT);
            call.request(2);
            return new ServerCall.Listener<>() {
                private byte[] request = new byte[0];

                @Override
                public void onMessage(byte[] message) {
                    request = message;
                }

                @Override
                public void onHalfClose() {
                    String name = call.getMethodDescriptor().getFullMethodName();
                    if (losesSnapshots && isSnapshot(name, request)) {
                        return;
                    }
                    boolean commit = name.equals(COMMIT);
                    boolean begins = name.equals(READ) && begins(request);
                    CompletableFuture<?>[] before = inTheWay(name, request)
                            .map(lock -> lock.waitFor(begins))
                            .toArray(CompletableFuture<?>[]::new);
                    Duration longer = commit ? delay.plus(commitDelay) : delay;
                    Executor after =
                            CompletableFuture.delayedExecutor(longer.toMillis(), TimeUnit.MILLISECONDS, Runnable::run);
                    var unused = CompletableFuture.allOf(before)
                            .thenRunAsync(
                                    () -> {
                                        if (!call.isCancelled()) {
                                            forward(request, commit && losesCommitAnswers);
                                        }
                                    },
                                    after);
                }

                private void forward(byte[] message, boolean losesAnswer) {
                    target.start(losesAnswer ? new ClientCall.Listener<>() {} : new Back(call), headers);
                    target.request(Integer.MAX_VALUE);
                    target.sendMessage(message);
                    target.halfClose();
                }

                @Override
                public void onCancel() {
                    target.cancel("the client is gone", null);
                }
            };
        }
    }

    private static final class Back extends ClientCall.Listener<byte[]> {
        private final ServerCall<byte[], byte[]> call;

        Back(ServerCall<byte[], byte[]> call) {
            this.call = call;
        }

        @Override
        public void onHeaders(Metadata headers) {
            call.sendHeaders(headers);
        }

        @Override
        public void onMessage(byte[] message) {
            call.sendMessage(message);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            call.close(status, trailers);
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try (stream) {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
