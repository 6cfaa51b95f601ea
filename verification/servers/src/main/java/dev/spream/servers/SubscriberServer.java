package dev.spream.servers;

import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import com.google.pubsub.v1.AcknowledgeRequest;
import com.google.pubsub.v1.GetSubscriptionRequest;
import com.google.pubsub.v1.GetTopicRequest;
import com.google.pubsub.v1.ModifyAckDeadlineRequest;
import com.google.pubsub.v1.PublishRequest;
import com.google.pubsub.v1.PublishResponse;
import com.google.pubsub.v1.PubsubMessage;
import com.google.pubsub.v1.StreamingPullRequest;
import com.google.pubsub.v1.StreamingPullResponse;
import com.google.pubsub.v1.Subscription;
import com.google.pubsub.v1.Topic;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.ServerCalls.UnaryMethod;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Subscriptions of Pub/Sub in memory, behind real gRPC on a port of the loopback interface: streaming pull, ordering
 * keys, redelivery; and topics of any name, whose messages go to all subscriptions. Ack deadlines expire only by a call
 * of the test. Safe for use by many threads.
 */
public final class SubscriberServer implements AutoCloseable {
    private static final String SUBSCRIBER = "google.pubsub.v1.Subscriber";
    private static final String PUBLISHER = "google.pubsub.v1.Publisher";
    private static final int MAX_MESSAGE_BYTES = 64 << 20;
    private static final String PREFIX = "projects/demo/subscriptions/";

    private final ReentrantLock lock = new ReentrantLock();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Server server;

    // Guarded by lock.
    private final Map<String, SubscriptionState> subscriptions = new HashMap<>();
    private Status lookStatus = Status.OK;
    private Status pullStatus = Status.OK;
    private Status ackStatus = Status.OK;
    private long messages;

    private SubscriberServer() throws IOException {
        this.server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                .executor(threads)
                .addService(subscriber())
                .addService(publisher())
                .build()
                .start();
    }

    private ServerServiceDefinition subscriber() {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(SUBSCRIBER);
        unary(
                service,
                SUBSCRIBER + "/GetSubscription",
                GetSubscriptionRequest.getDefaultInstance(),
                Subscription.getDefaultInstance(),
                this::getSubscription);
        unary(
                service,
                SUBSCRIBER + "/Acknowledge",
                AcknowledgeRequest.getDefaultInstance(),
                Empty.getDefaultInstance(),
                this::acknowledge);
        unary(
                service,
                SUBSCRIBER + "/ModifyAckDeadline",
                ModifyAckDeadlineRequest.getDefaultInstance(),
                Empty.getDefaultInstance(),
                this::modifyAckDeadline);
        var streamingPull = method(
                MethodType.BIDI_STREAMING,
                SUBSCRIBER + "/StreamingPull",
                StreamingPullRequest.getDefaultInstance(),
                StreamingPullResponse.getDefaultInstance());
        return service.addMethod(streamingPull, ServerCalls.asyncBidiStreamingCall(this::streamingPull))
                .build();
    }

    private ServerServiceDefinition publisher() {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(PUBLISHER);
        unary(
                service,
                PUBLISHER + "/Publish",
                PublishRequest.getDefaultInstance(),
                PublishResponse.getDefaultInstance(),
                this::publish);
        unary(
                service,
                PUBLISHER + "/GetTopic",
                GetTopicRequest.getDefaultInstance(),
                Topic.getDefaultInstance(),
                SubscriberServer::getTopic);
        return service.build();
    }

    private static <I extends Message, O extends Message> void unary(
            ServerServiceDefinition.Builder service, String name, I request, O answer, UnaryMethod<I, O> method) {
        service.addMethod(method(MethodType.UNARY, name, request, answer), ServerCalls.asyncUnaryCall(method));
    }

    private static <I extends Message, O extends Message> MethodDescriptor<I, O> method(
            MethodType type, String name, I request, O answer) {
        return MethodDescriptor.<I, O>newBuilder()
                .setType(type)
                .setFullMethodName(name)
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(answer))
                .build();
    }

    public static SubscriberServer start() throws IOException {
        return new SubscriberServer();
    }

    public String host() {
        return "127.0.0.1:" + server.getPort();
    }

    /** Creates a subscription of the project {@code demo} with message ordering; {@code change} adapts its settings. */
    public void create(String name, UnaryOperator<Subscription.Builder> change) {
        Subscription.Builder subscription =
                Subscription.newBuilder().setName(PREFIX + name).setEnableMessageOrdering(true);
        locked(() -> subscriptions.put(
                PREFIX + name, new SubscriptionState(change.apply(subscription).build())));
    }

    public void create(String name) {
        create(name, subscription -> subscription);
    }

    /** Deletes a subscription and ends its streams. */
    public void delete(String name) {
        locked(() -> {
            SubscriptionState deleted = state(name);
            subscriptions.remove(PREFIX + name);
            deleted.end(Status.NOT_FOUND);
        });
    }

    public void refuseLooks(Status status) {
        locked(() -> lookStatus = status);
    }

    public void refuseAcknowledgements(Status status) {
        locked(() -> ackStatus = status);
    }

    /** Ends the streams of all subscriptions, and later ones, with the given status; OK stops doing so. */
    public void refusePulls(Status status) {
        locked(() -> {
            pullStatus = status;
            if (!status.isOk()) {
                subscriptions.values().forEach(subscription -> subscription.end(status));
            }
        });
    }

    /** Publishes to all subscriptions. */
    public void publish(String orderingKey, ByteString data, Map<String, String> attributes) {
        add(PubsubMessage.newBuilder()
                .setOrderingKey(orderingKey)
                .setData(data)
                .putAllAttributes(attributes)
                .build());
    }

    /** Adds a message and returns its id. */
    private String add(PubsubMessage published) {
        return got(() -> {
            PubsubMessage message = published.toBuilder()
                    .setMessageId(Long.toString(++messages))
                    .setPublishTime(Timestamp.newBuilder().setSeconds(1_767_225_600 + messages))
                    .build();
            subscriptions.values().forEach(subscription -> subscription.add(message));
            return message.getMessageId();
        });
    }

    private void publish(PublishRequest request, StreamObserver<PublishResponse> observer) {
        PublishResponse.Builder answer = PublishResponse.newBuilder();
        request.getMessagesList().forEach(message -> answer.addMessageIds(add(message)));
        observer.onNext(answer.build());
        observer.onCompleted();
    }

    private static void getTopic(GetTopicRequest request, StreamObserver<Topic> observer) {
        observer.onNext(Topic.newBuilder().setName(request.getTopic()).build());
        observer.onCompleted();
    }

    /** Expires the ack deadline of all messages that were delivered and not acknowledged. */
    public void expire(String name) {
        locked(() -> state(name).expire());
    }

    /** Returns the number of messages that were delivered and not acknowledged. */
    public int held(String name) {
        return got(() -> state(name).held());
    }

    /** Returns the number of streams that are open, as far as the server has noticed. */
    public int streams(String name) {
        return got(() -> state(name).streams());
    }

    /** Returns the number of messages that were not acknowledged. */
    public int left(String name) {
        return got(() -> state(name).left());
    }

    private SubscriptionState state(String name) {
        SubscriptionState state = subscriptions.get(PREFIX + name);
        if (state == null) {
            throw new IllegalArgumentException("no subscription " + name);
        }
        return state;
    }

    private void locked(Runnable change) {
        got(() -> {
            change.run();
            return change;
        });
    }

    private <R> R got(Supplier<R> read) {
        lock.lock();
        try {
            return read.get();
        } finally {
            lock.unlock();
        }
    }

    private void getSubscription(GetSubscriptionRequest request, StreamObserver<Subscription> observer) {
        answer(request.getSubscription(), lookStatus, observer, SubscriptionState::subscription);
    }

    private void acknowledge(AcknowledgeRequest request, StreamObserver<Empty> observer) {
        answer(request.getSubscription(), ackStatus, observer, subscription -> {
            subscription.acknowledge(request.getAckIdsList());
            return Empty.getDefaultInstance();
        });
    }

    private void modifyAckDeadline(ModifyAckDeadlineRequest request, StreamObserver<Empty> observer) {
        answer(request.getSubscription(), Status.OK, observer, subscription -> {
            if (request.getAckDeadlineSeconds() == 0) {
                subscription.giveBack(request.getAckIdsList());
            }
            return Empty.getDefaultInstance();
        });
    }

    private <R> void answer(
            String name, Status status, StreamObserver<R> observer, Function<SubscriptionState, R> answer) {
        locked(() -> {
            SubscriptionState subscription = subscriptions.get(name);
            if (!status.isOk() || subscription == null) {
                observer.onError(new StatusException(status.isOk() ? Status.NOT_FOUND : status));
                return;
            }
            observer.onNext(answer.apply(subscription));
            observer.onCompleted();
        });
    }

    private StreamObserver<StreamingPullRequest> streamingPull(StreamObserver<StreamingPullResponse> observer) {
        ServerCallStreamObserver<StreamingPullResponse> out =
                (ServerCallStreamObserver<StreamingPullResponse>) observer;
        PullStream stream = new PullStream(out);
        out.setOnCancelHandler(() -> locked(stream::gone));
        return new StreamObserver<>() {
            @Override
            public void onNext(StreamingPullRequest request) {
                if (!request.getSubscription().isEmpty()) {
                    locked(() -> open(request, stream));
                }
            }

            @Override
            public void onError(Throwable failure) {
                locked(stream::gone);
            }

            @Override
            public void onCompleted() {
                locked(() -> stream.end(Status.OK));
            }
        };
    }

    private void open(StreamingPullRequest request, PullStream stream) {
        SubscriptionState subscription = subscriptions.get(request.getSubscription());
        if (!pullStatus.isOk() || subscription == null) {
            stream.end(pullStatus.isOk() ? Status.NOT_FOUND : pullStatus);
            return;
        }
        stream.limit(request.getMaxOutstandingMessages());
        subscription.open(stream);
    }

    @Override
    public void close() {
        server.shutdownNow();
        threads.shutdownNow();
    }
}
