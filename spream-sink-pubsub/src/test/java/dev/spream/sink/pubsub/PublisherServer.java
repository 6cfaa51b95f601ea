package dev.spream.sink.pubsub;

import com.google.protobuf.Message;
import com.google.pubsub.v1.GetTopicRequest;
import com.google.pubsub.v1.PublishRequest;
import com.google.pubsub.v1.PublishResponse;
import com.google.pubsub.v1.PubsubMessage;
import com.google.pubsub.v1.Topic;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.IntSupplier;

/**
 * Topics of Pub/Sub in memory, behind real gRPC on a port of the loopback interface. It enforces the limits of the real
 * service, keeps messages in order, and responds as scripted. Safe for use by many threads.
 */
final class PublisherServer implements AutoCloseable {
    static final String TOPIC = "projects/demo/topics/changes";
    private static final String SERVICE = "google.pubsub.v1.Publisher";
    private static final int MAX_MESSAGE_BYTES =
            64 << 20; // so that it is the limit of Pub/Sub that refuses, not gRPC's
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** The response to a request. */
    sealed interface Reply {
        /** It is taken, and confirmed. */
        record Confirm() implements Reply {}

        /** It is not taken. */
        record Refuse(Status status) implements Reply {}

        /** It is taken, and the answer gets lost. */
        record LoseAnswer(Status status) implements Reply {}

        /** It is kept until {@link #releaseHeld}, and then taken and confirmed, unless the caller has given it up. */
        record Hold() implements Reply {}

        /** It is taken, and an answer is given that confirms fewer messages. */
        record ConfirmTooFew() implements Reply {}
    }

    private record Held(PublishRequest request, StreamObserver<PublishResponse> observer) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Server server;
    private final String host;

    // Guarded by lock.
    private final Set<String> topics = new HashSet<>(Set.of(TOPIC));
    private final List<PublishRequest> requests = new ArrayList<>();
    private final List<PubsubMessage> taken = new ArrayList<>();
    private final Deque<Held> held = new ArrayDeque<>();
    private Function<PublishRequest, Reply> script = request -> new Reply.Confirm();
    private Status lookStatus = Status.OK;
    private int cancelled;
    private int onTheirWay;
    private int mostOnTheirWay;

    private PublisherServer() throws IOException {
        this.server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                .executor(threads)
                .addService(ServerServiceDefinition.builder(SERVICE)
                        .addMethod(
                                method(
                                        "Publish",
                                        PublishRequest.getDefaultInstance(),
                                        PublishResponse.getDefaultInstance()),
                                ServerCalls.asyncUnaryCall(this::publish))
                        .addMethod(
                                method("GetTopic", GetTopicRequest.getDefaultInstance(), Topic.getDefaultInstance()),
                                ServerCalls.asyncUnaryCall(this::getTopic))
                        .build())
                .build()
                .start();
        this.host = "127.0.0.1:" + server.getPort();
    }

    static PublisherServer start() throws IOException {
        return new PublisherServer();
    }

    private static <I extends Message, O extends Message> MethodDescriptor<I, O> method(
            String name, I request, O answer) {
        return MethodDescriptor.<I, O>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(answer))
                .build();
    }

    String host() {
        return host;
    }

    /** Sets the responses to requests from now on. Called under the server's lock, one at a time. */
    void script(Function<PublishRequest, Reply> replies) {
        locked(() -> script = replies);
    }

    void confirmAll() {
        script(request -> new Reply.Confirm());
    }

    void refuseLooks(Status status) {
        locked(() -> lookStatus = status);
    }

    void removeTopic() {
        locked(() -> topics.remove(TOPIC));
    }

    void createTopic() {
        locked(() -> topics.add(TOPIC));
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The messages that were taken, in order. */
    List<PubsubMessage> taken() {
        lock.lock();
        try {
            return List.copyOf(taken);
        } finally {
            lock.unlock();
        }
    }

    /** The requests that came, refused ones too. */
    List<PublishRequest> requests() {
        lock.lock();
        try {
            return List.copyOf(requests);
        } finally {
            lock.unlock();
        }
    }

    /** The most requests that were on their way at one time. */
    int mostOnTheirWay() {
        lock.lock();
        try {
            return mostOnTheirWay;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until so many requests came in all. */
    void awaitRequests(int count) throws InterruptedException {
        await(count, requests::size, "request");
    }

    /** Waits until the callers of so many held requests gave them up, as this server sees it. */
    void awaitCancelled(int count) throws InterruptedException {
        await(count, () -> cancelled, "cancelled request");
    }

    private void await(int count, IntSupplier came, String what) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = BOUND_NANOS;
            while (came.getAsInt() < count) {
                if (left <= 0) {
                    throw new AssertionError(
                            "waited in vain for %s %d; %d came".formatted(what, count, came.getAsInt()));
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes and confirms what is held, in the order in which it came. */
    void releaseHeld() {
        List<Held> released = new ArrayList<>();
        locked(() -> {
            released.addAll(held);
            held.clear();
        });
        released.forEach(one -> answer(one.request(), new Reply.Confirm(), one.observer()));
    }

    private void publish(PublishRequest request, StreamObserver<PublishResponse> observer) {
        Reply reply;
        lock.lock();
        try {
            requests.add(request);
            onTheirWay++;
            mostOnTheirWay = Math.max(mostOnTheirWay, onTheirWay);
            reply = problem(request).<Reply>map(Reply.Refuse::new).orElseGet(() -> script.apply(request));
            if (reply instanceof Reply.Hold) {
                ((ServerCallStreamObserver<PublishResponse>) observer)
                        .setOnCancelHandler(() -> locked(() -> cancelled++));
                held.add(new Held(request, observer));
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        answer(request, reply, observer);
    }

    private void answer(PublishRequest request, Reply reply, StreamObserver<PublishResponse> observer) {
        switch (reply) {
            case Reply.Hold hold -> {}
            case Reply.Refuse(Status status) -> {
                locked(() -> onTheirWay--);
                observer.onError(new StatusException(status));
            }
            case Reply.LoseAnswer(Status status) -> {
                take(request);
                observer.onError(new StatusException(status));
            }
            case Reply.Confirm confirm -> confirm(request, request.getMessagesCount(), observer);
            case Reply.ConfirmTooFew tooFew -> confirm(request, request.getMessagesCount() - 1, observer);
        }
    }

    private void confirm(PublishRequest request, int messages, StreamObserver<PublishResponse> observer) {
        if (((ServerCallStreamObserver<PublishResponse>) observer).isCancelled()) {
            locked(() -> onTheirWay--);
            return;
        }
        take(request);
        PublishResponse.Builder answer = PublishResponse.newBuilder();
        for (int i = 0; i < messages; i++) {
            answer.addMessageIds(Integer.toString(i));
        }
        observer.onNext(answer.build());
        observer.onCompleted();
    }

    private void take(PublishRequest request) {
        locked(() -> {
            onTheirWay--;
            taken.addAll(request.getMessagesList());
        });
    }

    private Optional<Status> problem(PublishRequest request) {
        return topics.contains(request.getTopic())
                ? RequestLimits.problem(request)
                : Optional.of(Status.NOT_FOUND.withDescription("Resource not found (resource=changes)."));
    }

    private void getTopic(GetTopicRequest request, StreamObserver<Topic> observer) {
        lock.lock();
        try {
            if (!lookStatus.isOk()) {
                observer.onError(new StatusException(lookStatus));
            } else if (topics.contains(request.getTopic())) {
                observer.onNext(Topic.newBuilder().setName(request.getTopic()).build());
                observer.onCompleted();
            } else {
                observer.onError(new StatusException(Status.NOT_FOUND));
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
        threads.shutdownNow();
    }
}
