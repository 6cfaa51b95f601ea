package dev.spream.storage.spanner.client;

import static com.google.cloud.spanner.SpannerOptions.CALL_CONTEXT_CONFIGURATOR_KEY;

import com.google.spanner.v1.CommitRequest;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A call of the client with a time limit. It runs on a thread of its own, because the client waits for its session
 * regardless of deadlines, and retries an unreachable server without a limit. Used once, by one thread.
 */
public final class TimedCall<T> {
    private final Callable<T> call;
    private final StreamAttempts attempts;

    public TimedCall(Callable<T> call) {
        this(call, null);
    }

    /** Creates the call of a transaction of several requests, which is rolled back at the deadline. */
    public TimedCall(Callable<T> call, @Nullable Deadline deadline) {
        this.call = call;
        this.attempts = StreamAttempts.until(deadline);
    }

    /** Returns the result. At the time limit, or if the caller is interrupted, the call is cancelled. */
    public T answer(Duration timeout) throws ExecutionException, TimeoutException, InterruptedException {
        Context.CancellableContext context =
                Context.ROOT.withValue(CALL_CONTEXT_CONFIGURATOR_KEY, attempts).withCancellation();
        FutureTask<T> answer = new FutureTask<>(context.wrap(call));
        Thread asking = Thread.ofVirtual().name("spream-spanner-ask").start(answer);
        try {
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } finally {
            context.cancel(null);
            asking.interrupt();
        }
    }

    /** Returns the last commit that was requested, if there is one; it has taken effect if the call returned. */
    public Optional<CommitRequest> lastCommit() {
        return attempts.lastCommit();
    }

    /** Returns the reason for the timeout, as far as the client's attempts show it. */
    public String silenceReason() {
        return attempts.lastFailure().map(TimedCall::describe).orElse("the server is unreachable or does not answer");
    }

    private static String describe(Status failure) {
        String description = failure.getDescription();
        return description == null ? failure.getCode().name() : failure.getCode() + ": " + description;
    }
}
