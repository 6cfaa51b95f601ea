package dev.spream.storage.spanner.client;

import com.google.api.gax.grpc.GrpcCallContext;
import com.google.api.gax.rpc.ApiCallContext;
import com.google.cloud.spanner.SpannerOptions.CallContextConfigurator;
import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.RollbackRequest;
import io.grpc.CallOptions;
import io.grpc.ClientStreamTracer;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Observes the attempts that the client makes of one streaming query, records the failure of the last one, and rejects
 * further ones. Installed through {@link com.google.cloud.spanner.SpannerOptions#CALL_CONTEXT_CONFIGURATOR_KEY}.
 *
 * <p>The client resumes a broken stream silently and without a limit, by a resume token. That does not suit a change
 * stream: an unreachable server must be reported, and a server that ignores resume tokens (Google's emulator) sends
 * records again from the start of the query, out of order.
 *
 * <p>Safe for use by many threads.
 */
public final class StreamAttempts implements CallContextConfigurator {
    private final int limit;
    private final @Nullable Prefetch prefetch;
    private final boolean encoded;
    private final @Nullable Deadline deadline;
    private final AtomicInteger attempts = new AtomicInteger();
    private volatile @Nullable Status lastFailure;
    private volatile @Nullable CommitRequest lastCommit;

    private StreamAttempts(int limit, @Nullable Prefetch prefetch, boolean encoded, @Nullable Deadline deadline) {
        this.limit = limit;
        this.prefetch = prefetch;
        this.encoded = encoded;
        this.deadline = deadline;
    }

    /** Permits all attempts, each until the deadline if there is one, except a rollback, so that no locks remain. */
    static StreamAttempts until(@Nullable Deadline deadline) {
        return new StreamAttempts(Integer.MAX_VALUE, null, false, deadline);
    }

    /**
     * Permits one attempt, which prefetches within that limit.
     *
     * @param encoded whether values are kept encoded
     * @see EncodedValues
     */
    public static StreamAttempts one(Prefetch prefetch, boolean encoded) {
        return new StreamAttempts(1, prefetch, encoded, null);
    }

    /** Returns the failure of the last attempt, if it failed. */
    Optional<Status> lastFailure() {
        return Optional.ofNullable(lastFailure);
    }

    /** Returns the last commit that was requested, if there is one. */
    Optional<CommitRequest> lastCommit() {
        return Optional.ofNullable(lastCommit);
    }

    @Override
    public <ReqT, RespT> ApiCallContext configure(
            ApiCallContext context, ReqT request, MethodDescriptor<ReqT, RespT> method) {
        if (attempts.incrementAndGet() > limit) {
            throw lastFailure()
                    .orElse(Status.UNAVAILABLE.withDescription("the stream broke"))
                    .asRuntimeException();
        }
        if (request instanceof CommitRequest commit) {
            lastCommit = commit;
        }
        GrpcCallContext call = (GrpcCallContext) context;
        CallOptions options = call.getCallOptions().withStreamTracerFactory(new Tracers());
        if (deadline != null && !(request instanceof RollbackRequest)) {
            options = options.withDeadline(deadline);
        }
        if (prefetch != null) {
            options = options.withOption(Prefetch.OF_CALL, prefetch).withOption(EncodedValues.OF_CALL, encoded);
        }
        return call.withCallOptions(options);
    }

    private final class Tracers extends ClientStreamTracer.Factory {
        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void streamClosed(Status status) {
                    boolean thrownAway = status.getCode() == Status.Code.CANCELLED; // by this side, so not a failure
                    if (!status.isOk() && !(thrownAway && lastFailure().isPresent())) {
                        lastFailure = status;
                    }
                }
            };
        }
    }
}
