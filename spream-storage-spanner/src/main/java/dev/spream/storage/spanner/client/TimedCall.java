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
 * A call of the client that answers, or fails, within a time. It runs on a thread of its own, because the client waits for
 * its session without regard to any deadline, and retries an unreachable server without end. Used once, by one thread.
 */
public final class TimedCall<T> {
    private final Callable<T> call;
    private final StreamAttempts attempts;

    public TimedCall(Callable<T> call) {
        this(call, null);
    }

    /** A transaction of several requests, which are answered until then; it is rolled back otherwise. */
    public TimedCall(Callable<T> call, @Nullable Deadline deadline) {
        this.call = call;
        this.attempts = StreamAttempts.until(deadline);
    }

    /** The answer; when it does not come in time, or the caller is interrupted, the call is cancelled. */
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

    /** The commit that was last asked for, if one was; it has happened if the call was answered. */
    public Optional<CommitRequest> lastCommit() {
        return attempts.lastCommit();
    }

    /** Why there was no answer in time, as far as the client's attempts show. */
    public String silenceReason() {
        return attempts.lastFailure()
                .map(TimedCall::describe)
                .orElse("the server cannot be reached, or does not answer");
    }

    private static String describe(Status failure) {
        String description = failure.getDescription();
        return description == null ? failure.getCode().name() : failure.getCode() + ": " + description;
    }
}
