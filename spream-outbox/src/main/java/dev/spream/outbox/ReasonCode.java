package dev.spream.outbox;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * The machine-readable reason of a failed attempt or an aborted entry; senders may define codes of their own. Never
 * contains data of a payload.
 *
 * @param value 1 to 64 upper-case letters, digits and underscores, starting with a letter
 */
public record ReasonCode(String value) {
    private static final Pattern VALUE = Pattern.compile("[A-Z][A-Z0-9_]{0,63}");

    /** The receiver did not respond in time. */
    public static final ReasonCode TIMEOUT = new ReasonCode("TIMEOUT");

    /** The receiver could not be reached, or reported that it is temporarily unavailable. */
    public static final ReasonCode UNAVAILABLE = new ReasonCode("UNAVAILABLE");

    /** The receiver rejected the request because of its rate limit. */
    public static final ReasonCode RATE_LIMITED = new ReasonCode("RATE_LIMITED");

    /** The receiver rejected the sender's credentials, or does not permit the request. */
    public static final ReasonCode UNAUTHORIZED = new ReasonCode("UNAUTHORIZED");

    /** The entry is not a valid request for the receiver or the sender. */
    public static final ReasonCode INVALID_REQUEST = new ReasonCode("INVALID_REQUEST");

    /** The receiver rejected a valid request. */
    public static final ReasonCode REJECTED = new ReasonCode("REJECTED");

    /** The sender failed unexpectedly. */
    public static final ReasonCode INTERNAL_ERROR = new ReasonCode("INTERNAL_ERROR");

    /** An attempt may have reached the receiver; its outcome is unknown. */
    public static final ReasonCode OUTCOME_UNKNOWN = new ReasonCode("OUTCOME_UNKNOWN");

    /** The entry expired before it was sent. */
    public static final ReasonCode EXPIRED = new ReasonCode("EXPIRED");

    /** The entry exceeded its maximum age or number of attempts. */
    public static final ReasonCode TOO_OLD = new ReasonCode("TOO_OLD");

    /** The key belongs to another request in the ledger. */
    public static final ReasonCode IDEMPOTENCY_CONFLICT = new ReasonCode("IDEMPOTENCY_CONFLICT");

    /** The entry was aborted by an operator. */
    public static final ReasonCode ABORTED_BY_HAND = new ReasonCode("ABORTED_BY_HAND");

    private static final int INTERNAL_SERVER_ERROR = 500;

    /** RFC 9110, section 15, and RFC 6585 for 429. */
    private static final Map<ReasonCode, Integer> HTTP_STATUSES = Map.ofEntries(
            Map.entry(TIMEOUT, 504),
            Map.entry(UNAVAILABLE, 503),
            Map.entry(RATE_LIMITED, 429),
            Map.entry(UNAUTHORIZED, 502),
            Map.entry(INVALID_REQUEST, 400),
            Map.entry(REJECTED, 422),
            Map.entry(INTERNAL_ERROR, INTERNAL_SERVER_ERROR),
            Map.entry(OUTCOME_UNKNOWN, 504),
            Map.entry(EXPIRED, 410),
            Map.entry(TOO_OLD, 504),
            Map.entry(IDEMPOTENCY_CONFLICT, 409),
            Map.entry(ABORTED_BY_HAND, 409));

    public ReasonCode {
        if (!VALUE.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "reason code '%s' must be 1 to 64 upper-case letters, digits and underscores, starting with a letter"
                            .formatted(value));
        }
    }

    /**
     * Returns the HTTP status that the ledger reports for a request aborted for this reason; 500 for a sender's own
     * codes.
     */
    public int httpStatus() {
        return HTTP_STATUSES.getOrDefault(this, INTERNAL_SERVER_ERROR);
    }

    @Override
    public String toString() {
        return value;
    }
}
