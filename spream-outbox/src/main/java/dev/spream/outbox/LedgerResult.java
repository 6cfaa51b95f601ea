package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * The final result of a request: stored in the ledger, and returned to each client that repeats the request.
 *
 * @param status succeeded or failed
 * @param httpStatus the HTTP status for a client that asks for the result: 200 to 299 for a success, 400 to 599 for a
 *     failure
 * @param responsePayload the response of the receiver, a JSON text
 * @param reason the reason of a failure; empty for a success
 */
public record LedgerResult(
        LedgerStatus status, int httpStatus, Optional<String> responsePayload, Optional<ReasonCode> reason) {
    private static final int OK = 200;

    public LedgerResult {
        requireNonNull(responsePayload, "responsePayload");
        requireNonNull(reason, "reason");
        if (!status.isSettled()) {
            throw new IllegalArgumentException("a result needs status SUCCEEDED or FAILED");
        }
        if (!isHttpStatusOf(status, httpStatus)) {
            throw new IllegalArgumentException(
                    "httpStatus is %d; it must be 200 to 299 for a success, 400 to 599 for a failure"
                            .formatted(httpStatus));
        }
        if (reason.isPresent() != (status == LedgerStatus.FAILED)) {
            throw new IllegalArgumentException("a failure needs a reason, and a success must not have one");
        }
    }

    /** Returns whether the HTTP status is valid for a result with that ledger status. */
    public static boolean isHttpStatusOf(LedgerStatus status, int httpStatus) {
        return status == LedgerStatus.SUCCEEDED
                ? httpStatus >= 200 && httpStatus <= 299
                : httpStatus >= 400 && httpStatus <= 599;
    }

    public static LedgerResult succeeded(String responsePayload) {
        return new LedgerResult(LedgerStatus.SUCCEEDED, OK, Optional.of(responsePayload), Optional.empty());
    }

    public static LedgerResult succeeded() {
        return new LedgerResult(LedgerStatus.SUCCEEDED, OK, Optional.empty(), Optional.empty());
    }

    /** Returns a failure with the {@linkplain ReasonCode#httpStatus() HTTP status of the reason}. */
    public static LedgerResult failed(ReasonCode reason) {
        return new LedgerResult(LedgerStatus.FAILED, reason.httpStatus(), Optional.empty(), Optional.of(reason));
    }

    /** Omits the payload. */
    @Override
    public String toString() {
        return "LedgerResult[%s, httpStatus=%d%s]"
                .formatted(
                        status.text(),
                        httpStatus,
                        reason.map(code -> ", " + code).orElse(""));
    }
}
