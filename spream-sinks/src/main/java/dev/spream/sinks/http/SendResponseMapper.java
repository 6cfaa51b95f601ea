package dev.spream.sinks.http;

import dev.spream.core.DurationText;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.sinks.http.HttpOutcome.Answered;
import dev.spream.sinks.http.HttpOutcome.Broken;
import dev.spream.sinks.http.HttpOutcome.Head;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** Maps the response to an entry that was sent, or its absence, to an outcome. */
record SendResponseMapper(UrlTemplate url, StatusTable statuses, InstantSource clock) {

    SendOutcome judge(HttpOutcome outcome, boolean mayHaveLeft, Duration timeout) {
        return switch (outcome) {
            case Answered(Head head, Optional<byte[]> body) -> answered(head, body);
            case Broken(Optional<Head> head, Throwable cause)
            when head.isPresent() -> connectionLost(head.get(), cause, timeout);
            case Broken(Optional<Head> head, Throwable cause) -> unanswered(cause, mayHaveLeft, timeout);
        };
    }

    private SendOutcome answered(Head head, Optional<byte[]> body) {
        int status = head.status();
        String message = "%s responded with status %d".formatted(url, status);
        return switch (statuses.verdict(status)) {
            case TAKEN ->
                new SendOutcome.Succeeded(
                        new LedgerResult(LedgerStatus.SUCCEEDED, status, ResponseText.of(body), Optional.empty()));
            case RETRYABLE ->
                new SendOutcome.Retryable(
                        statuses.reason(status),
                        message + StatusTable.advice(status),
                        RetryAfter.of(head.headers(), clock.instant()));
            case PERMANENT ->
                new SendOutcome.Permanent(statuses.reason(status), message + "; retrying it will not help");
            case UNKNOWN ->
                new SendOutcome.Unknown(
                        statuses.reason(status), message + ", and may have accepted it" + StatusTable.advice(status));
        };
    }

    /**
     * Returns the outcome of a response that broke off. A status that decides is valid without the rest; a success
     * requires the complete response, which the ledger is to store.
     */
    private SendOutcome connectionLost(Head head, Throwable cause, Duration timeout) {
        if (statuses.verdict(head.status()) != StatusTable.Verdict.TAKEN) {
            return answered(head, Optional.empty());
        }
        return new SendOutcome.Unknown(
                unknownReason(cause),
                "%s answered with status %d, which is a success, but the answer %s"
                        .formatted(
                                url,
                                head.status(),
                                cause instanceof TimeoutException
                                        ? "did not end within " + DurationText.of(timeout)
                                        : "broke off"));
    }

    private SendOutcome unanswered(Throwable cause, boolean mayHaveLeft, Duration timeout) {
        String message = "%s %s".formatted(url, TransportError.words(cause, timeout));
        if (mayHaveLeft && !TransportError.isBeforeRequest(cause)) {
            return new SendOutcome.Unknown(unknownReason(cause), message + "; it may have accepted it");
        }
        return new SendOutcome.Retryable(
                cause instanceof TimeoutException ? ReasonCode.TIMEOUT : ReasonCode.UNAVAILABLE,
                message + "; nothing left");
    }

    private static ReasonCode unknownReason(Throwable cause) {
        return cause instanceof TimeoutException ? ReasonCode.TIMEOUT : ReasonCode.OUTCOME_UNKNOWN;
    }
}
