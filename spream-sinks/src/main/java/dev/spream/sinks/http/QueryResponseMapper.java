package dev.spream.sinks.http;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.sinks.http.HttpOutcome.Answered;
import dev.spream.sinks.http.HttpOutcome.Broken;
import dev.spream.sinks.http.HttpOutcome.Head;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;

/**
 * Maps the response to a query for an entry, or its absence, to an outcome.
 *
 * @param notThere statuses that mean that the receiver does not have the entry
 * @param refused statuses that mean that the receiver has refused the entry permanently
 */
record QueryResponseMapper(UrlTemplate url, Set<Integer> notThere, Set<Integer> refused) {
    private static final int OK = 200;
    private static final int ACCEPTED = 202;

    QueryResponseMapper {
        notThere.forEach(StatusTable::requireStatus);
        refused.forEach(StatusTable::requireStatus);
        refused.stream().filter(notThere::contains).findFirst().ifPresent(status -> {
            throw new IllegalArgumentException(
                    "the status %d of a query is configured with two meanings".formatted(status));
        });
    }

    QueryOutcome judge(HttpOutcome outcome, Duration timeout) {
        return switch (outcome) {
            case Answered(Head head, Optional<byte[]> body) -> answered(head, body);
            case Broken(Optional<Head> head, Throwable cause) -> unanswered(cause, timeout);
        };
    }

    private QueryOutcome answered(Head head, Optional<byte[]> body) {
        int status = head.status();
        String message = "queried for the entry, %s responded with status %d".formatted(url, status);
        if (notThere.contains(status)) {
            return new QueryOutcome.NotThere();
        }
        if (refused.contains(status)) {
            return new QueryOutcome.Refused(ReasonCode.REJECTED, message);
        }
        if (head.isSuccess() && status != ACCEPTED) {
            return new QueryOutcome.Taken(
                    new LedgerResult(LedgerStatus.SUCCEEDED, OK, ResponseText.of(body), Optional.empty()));
        }
        return new QueryOutcome.StillUnknown(
                ReasonCode.OUTCOME_UNKNOWN,
                message + ", which does not show whether it has it" + StatusTable.advice(status));
    }

    private QueryOutcome unanswered(Throwable cause, Duration timeout) {
        return new QueryOutcome.StillUnknown(
                cause instanceof TimeoutException ? ReasonCode.TIMEOUT : ReasonCode.OUTCOME_UNKNOWN,
                "queried for the entry, %s %s".formatted(url, TransportError.words(cause, timeout)));
    }
}
