package dev.spream.storage.spanner.client;

import com.google.api.gax.rpc.ApiException;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.SpannerExceptionFactory;
import com.google.spanner.v1.CommitRequest;
import dev.spream.core.DurationText;
import dev.spream.core.StorageException;
import io.grpc.Deadline;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls to a database, each with a time limit, and maps their failures to those of a storage. Safe
 * for use by many threads.
 */
public final class DatabaseCalls {
    private final String table;
    private final Duration timeout;
    private final ReentrantLock turn = new ReentrantLock(true);

    /**
     * @param table the database and table, for messages
     * @param timeout the time limit of a call, including the client's own retries
     */
    public DatabaseCalls(String table, Duration timeout) {
        this.table = table;
        this.timeout = timeout;
    }

    /** Returns calls with another time limit, which do not wait for these. */
    public DatabaseCalls within(Duration otherTimeout) {
        return new DatabaseCalls(table, otherTimeout);
    }

    public Duration timeout() {
        return timeout;
    }

    /**
     * Returns the result of the call.
     *
     * @throws StorageException if it failed
     */
    public <T> T run(String what, Callable<T> call) {
        return run(what, new TimedCall<>(call));
    }

    private <T> T run(String what, TimedCall<T> timed) {
        try {
            return timed.answer(timeout);
        } catch (ExecutionException e) {
            throw failed(what, e.getCause());
        } catch (TimeoutException e) {
            throw unanswered(what, timed.silenceReason(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(what, e);
        }
    }

    /**
     * Runs calls that are transactions of several requests one after the other, in the order of arrival. A client has
     * one session, and servers without multiplexed sessions, such as older versions of Google's emulator, end its
     * transaction when the next one begins.
     */
    public <T> T runInTurn(String what, Callable<T> call) {
        return inTurn(what, () -> run(what, call));
    }

    /**
     * Runs a transaction that gets a share of the time limit, and is rolled back when it exceeds it.
     *
     * @param question called then with the unconfirmed commit, if there is one
     * @throws LockedRowsException if the server answers but the transaction timed out, so its rows are locked
     */
    public <T> T runInTurn(
            String what, Duration share, Callable<T> transaction, Predicate<Optional<CommitRequest>> question) {
        return inTurn(what, () -> runWithin(what, share, transaction, question));
    }

    private <T> T runWithin(
            String what, Duration share, Callable<T> transaction, Predicate<Optional<CommitRequest>> question) {
        Deadline deadline = Deadline.after(share.toNanos(), TimeUnit.NANOSECONDS);
        TimedCall<T> timed = new TimedCall<>(transaction, deadline);
        try {
            return run(what, timed);
        } catch (StorageException e) {
            if (!deadline.isExpired() || !e.retryable()) {
                throw e;
            }
            ask(what, () -> question.test(timed.lastCommit()), e);
            throw new LockedRowsException(
                    "%s in %s timed out after %s although the server answers: another transaction may have locked the rows. It may have taken effect without confirmation; it can be repeated safely"
                            .formatted(what, table, DurationText.of(share)),
                    e);
        }
    }

    /** Fails if the server does not answer, or with the failure of the transaction if it answers with an error. */
    private void ask(String what, Callable<Boolean> question, StorageException failure) {
        try {
            run(what, question);
        } catch (StorageException e) {
            throw e.retryable() ? e : failure;
        }
    }

    private <T> T inTurn(String what, Supplier<T> call) {
        try {
            if (!turn.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw unanswered(what, "the calls before it take too long", new TimeoutException());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(what, e);
        }
        try {
            return call.get();
        } finally {
            turn.unlock();
        }
    }

    public StorageException failed(String what, @Nullable Throwable cause) {
        if (cause instanceof ExecutionException) {
            return failed(what, cause.getCause());
        }
        if (cause instanceof StorageException known) {
            return known;
        }
        SpannerException error = SpannerExceptionFactory.asSpannerException(
                cause == null ? new IllegalStateException("no cause") : cause);
        boolean retryable = isOfServer(error) && isRetryable(error);
        return new StorageException(
                "%s in %s failed: %s: %s; %s"
                        .formatted(
                                what,
                                table,
                                error.getErrorCode(),
                                SpannerErrors.text(error),
                                advice(error.getErrorCode(), retryable)),
                retryable,
                error);
    }

    public StorageException unanswered(String what, String why, Exception cause) {
        return new StorageException(
                "%s in %s failed: no answer within %d s: %s. It may have taken effect without confirmation; it can be repeated safely"
                        .formatted(what, table, timeout.toSeconds(), why),
                true,
                cause);
    }

    public StorageException interrupted(String what, InterruptedException cause) {
        return new StorageException(
                "%s in %s was interrupted. It may have taken effect without confirmation; it can be repeated safely"
                        .formatted(what, table),
                true,
                cause);
    }

    /**
     * Returns whether the error came from the server. The client reports failures of this process, such as a closed
     * client, as UNKNOWN.
     */
    private static boolean isOfServer(SpannerException error) {
        if (error.getErrorCode() != ErrorCode.UNKNOWN) {
            return true;
        }
        for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof StatusRuntimeException || cause instanceof ApiException) {
                return true;
            }
        }
        return false;
    }

    private static boolean isRetryable(SpannerException error) {
        return switch (error.getErrorCode()) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, CANCELLED, UNKNOWN -> true;
            case INTERNAL -> error.isRetryable();
            default -> false;
        };
    }

    private static String advice(ErrorCode code, boolean retryable) {
        if (retryable) {
            return "it may have taken effect without confirmation; a retry may succeed";
        }
        return switch (code) {
            case NOT_FOUND -> "check the names of database and table, and that the tables were created";
            case PERMISSION_DENIED, UNAUTHENTICATED ->
                "check the credentials, and that they may read and write the tables";
            default -> "nothing was changed; a retry would fail again";
        };
    }
}
