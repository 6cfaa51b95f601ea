package dev.spream.storage.spanner.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingChannelBuilder2;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconnects all channels of a client when a call shows that a connection may have gone silent: nothing was received
 * for 5 seconds, or until a change stream's query was cancelled, or the connection was found dead. Connections often go
 * silent together, for example by a firewall, and a repeated call uses another channel. Calls in progress keep their
 * connections.
 *
 * <p>Google's servers reject frequent pings, so idle connections cannot be probed in advance.
 *
 * <p>Safe for use by many threads.
 */
public final class SilenceWatch {
    private static final Logger log = LoggerFactory.getLogger(SilenceWatch.class);

    /** The time that gRPC waits for the answer to a keep-alive ping. */
    public static final Duration KEEP_ALIVE_TIMEOUT = Duration.ofSeconds(3);

    private final Duration unanswered;
    private final Executor checks;
    private final Set<ManagedChannel> channels = ConcurrentHashMap.newKeySet();
    private final AtomicLong renewed = new AtomicLong(System.nanoTime());

    /** @param unanswered the time for which a call must have received nothing */
    public SilenceWatch(Duration unanswered) {
        this.unanswered = unanswered;
        this.checks = CompletableFuture.delayedExecutor(unanswered.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Returns a builder of channels that are watched. */
    public ManagedChannelBuilder<?> watching(ManagedChannelBuilder<?> builder) {
        return new WatchedBuilder(builder.intercept(new CallWatch()));
    }

    /** Reconnects all channels, unless that was done since the last message of a call. */
    private void renew(long lastSign) {
        long last = renewed.get();
        if (lastSign - last < 0 || !renewed.compareAndSet(last, System.nanoTime())) {
            return;
        }
        log.warn(
                "a call to Spanner got no answer, so its connection may be dead; the {} channels reconnect",
                channels.size());
        channels.forEach(ManagedChannel::enterIdle);
    }

    private final class WatchedBuilder extends ForwardingChannelBuilder2<WatchedBuilder> {
        private final ManagedChannelBuilder<?> delegate;

        WatchedBuilder(ManagedChannelBuilder<?> delegate) {
            this.delegate = delegate;
        }

        @Override
        protected ManagedChannelBuilder<?> delegate() {
            return delegate;
        }

        @Override
        public ManagedChannel build() {
            ManagedChannel channel = delegate.build();
            channels.add(channel);
            return channel;
        }
    }

    private final class CallWatch implements ClientInterceptor {
        @Override
        public <ReqT, RespT> ClientCall<ReqT, RespT> interceptCall(
                MethodDescriptor<ReqT, RespT> method, CallOptions options, Channel next) {
            return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                @Override
                public void start(Listener<RespT> listener, Metadata headers) {
                    Answers<RespT> answers = new Answers<>(listener);
                    if (options.getOption(Prefetch.OF_CALL) == null) { // an idle change stream is silent for longer
                        checks.execute(answers::checkAnswered);
                    }
                    super.start(answers, headers);
                }
            };
        }
    }

    /** Observes the responses of one call. */
    private final class Answers<T> extends SimpleForwardingClientCallListener<T> {
        private volatile boolean answered;
        private volatile long lastSign = System.nanoTime();

        Answers(ClientCall.Listener<T> listener) {
            super(listener);
        }

        @Override
        public void onHeaders(Metadata headers) {
            sign();
            super.onHeaders(headers);
        }

        @Override
        public void onMessage(T message) {
            sign();
            super.onMessage(message);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (isSilent(status)) {
                renew(lastSign);
            }
            answered = true;
            super.onClose(status, trailers);
        }

        private void sign() {
            lastSign = System.nanoTime();
            answered = true;
        }

        void checkAnswered() {
            if (!answered) {
                renew(lastSign);
            }
        }

        private boolean isSilent(Status status) {
            Duration silence = Duration.ofNanos(System.nanoTime() - lastSign);
            return switch (status.getCode()) {
                case CANCELLED, DEADLINE_EXCEEDED -> !answered && silence.compareTo(unanswered) >= 0;
                // A keep-alive that failed; a server that is down fails calls sooner.
                case UNAVAILABLE -> silence.compareTo(KEEP_ALIVE_TIMEOUT) >= 0;
                default -> false;
            };
        }
    }
}
