package dev.spream.storage.spanner.client;

import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.SpannerExceptionFactory;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.SourceException.Kind;
import io.grpc.Status;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Classifies Spanner's errors for the reader of a partition. The code alone is ambiguous: an OUT_OF_RANGE can be lost
 * retention, an expired partition, a start outside of the partition's lifetime, or a start in the future, and only the
 * text distinguishes them. An unknown error is {@link Kind#FATAL}, never an end.
 *
 * <p>The texts are those of Spanner, as in Google's emulator (common/errors.cc) and in Apache Beam (which matches
 * "Specified start_timestamp is invalid").
 */
public final class SpannerErrors {
    private static final Pattern VALID_RANGE = Pattern.compile("within (\\S+) and (\\S+?)[.,;]?(?:\\s|$)");

    /** The description of gRPC, without the reason. */
    private static final String CONNECTION_FAILED = "io exception";

    private static final String SESSION_LOST = "session not found";
    private static final String VERSION_LOST = "exceeded the maximum timestamp staleness";
    private static final String END_IS_NULL = "end_timestamp must not be null";
    private static final String END_IS_LATE = "end_timestamp is too far";

    private SpannerErrors() {}

    /**
     * Returns the source's exception for an error.
     *
     * @param failed the call that failed, such as "reading partition …"
     */
    public static SourceException sourceException(String failed, Throwable cause) {
        SpannerException error = SpannerExceptionFactory.asSpannerException(cause);
        String text = text(error);
        // An error of the client itself, as when it was closed; mapped as a Spanner error it would be UNKNOWN and
        // retried forever.
        Kind kind = cause instanceof IllegalStateException ? Kind.FATAL : kind(error.getErrorCode(), text);
        String message = "%s failed: %s: %s; %s".formatted(failed, error.getErrorCode(), text, advice(kind, text));
        return new SourceException(kind, message, error, kind == Kind.OUTSIDE_PARTITION ? validUntil(text) : null);
    }

    static Kind kind(ErrorCode code, String text) {
        String message = text.toLowerCase(Locale.ROOT);
        return switch (code) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL, ABORTED, CANCELLED, UNKNOWN ->
                Kind.TRANSIENT;
            case OUT_OF_RANGE -> outOfRange(message);
            case INVALID_ARGUMENT -> invalidArgument(message);
            // The client has one multiplexed session, and does not replace it when it is lost.
            case NOT_FOUND -> message.contains(SESSION_LOST) ? Kind.FATAL : Kind.NOT_FOUND;
            case PERMISSION_DENIED, UNAUTHENTICATED -> Kind.PERMISSION_DENIED;
            case ALREADY_EXISTS, FAILED_PRECONDITION, UNIMPLEMENTED, DATA_LOSS -> Kind.FATAL;
        };
    }

    private static Kind outOfRange(String message) {
        if (message.contains("start_timestamp is too far in the past")) {
            return Kind.RETENTION_LOST;
        }
        if (message.contains("partition is no longer valid")) {
            return Kind.PARTITION_EXPIRED;
        }
        if (message.contains("start_timestamp is invalid for the partition")) {
            return Kind.OUTSIDE_PARTITION;
        }
        if (message.contains("start_timestamp is too far in the future")) {
            return Kind.START_IN_FUTURE;
        }
        return Kind.FATAL;
    }

    private static Kind invalidArgument(String message) {
        boolean unknown = message.contains("does not belong to the change stream")
                || message.contains("table-valued function not found")
                || message.contains("table valued function not found")
                || (message.contains("function") && message.contains("does not exist"));
        return unknown ? Kind.NOT_FOUND : Kind.FATAL;
    }

    private static String advice(Kind kind, String text) {
        String message = text.toLowerCase(Locale.ROOT);
        if (message.contains(SESSION_LOST)) {
            return "the server has lost the client's session, as a restarted emulator does: connect again";
        }
        if (message.contains(END_IS_NULL) || message.contains(END_IS_LATE)) {
            return "a stream with mutable key ranges is read in windows: a query of it needs an end, at most 30 minutes"
                    + " after its start";
        }
        if (message.contains(VERSION_LOST)) {
            return "the database does not keep rows as of the snapshot's time any more, so the snapshot cannot end:"
                    + " raise its version_retention_period, up to 7d, and begin anew with a snapshot (spream subscription begin-anew),"
                    + " or replace a snapshot that was added by one as of now (spream subscription add-snapshot --again)";
        }
        return switch (kind) {
            case TRANSIENT -> "a retry may succeed";
            case CANCELLED -> "this process ended the query";
            case RETENTION_LOST ->
                "records before the retention period are lost, and so are those of before the "
                        + "stream was created: start later";
            case PARTITION_EXPIRED -> "the partition's records and the names of its children are lost";
            case OUTSIDE_PARTITION -> "this does not prove the partition's end: read again from an earlier position";
            case START_IN_FUTURE -> "compare the start with the server's time";
            case NOT_FOUND -> "check the names of database and change stream, and whether the stream was recreated";
            case PERMISSION_DENIED ->
                "check the credentials, and that they, or the database role, may SELECT from the "
                        + "change stream and EXECUTE its read function";
            case MALFORMED, FATAL -> "a retry would fail again";
        };
    }

    /** Returns the server's message on one line, without the prefixes of the client's layers. */
    public static String text(SpannerException error) {
        String description = Status.fromThrowable(error).getDescription();
        String text = (description != null ? description : String.valueOf(error.getMessage())).replaceAll("\\s+", " ");
        String code = error.getErrorCode() + ": ";
        String plain = text.startsWith(code) ? text.substring(code.length()) : text;
        return plain.equals(CONNECTION_FAILED) ? connectionFailure(error).orElse(plain) : plain;
    }

    /** Returns the reason for which there is no connection, with the address. */
    private static Optional<String> connectionFailure(Throwable error) {
        for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException && cause.getMessage() != null) {
                return Optional.of(cause.getMessage());
            }
        }
        return Optional.empty();
    }

    private static @Nullable Instant validUntil(String text) {
        Matcher range = VALID_RANGE.matcher(text);
        if (!range.find()) {
            return null;
        }
        try {
            return OffsetDateTime.parse(range.group(2)).toInstant();
        } catch (DateTimeParseException e) {
            return null;
        }
    }
}
