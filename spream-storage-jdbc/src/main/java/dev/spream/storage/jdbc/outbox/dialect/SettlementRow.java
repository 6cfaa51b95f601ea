package dev.spream.storage.jdbc.outbox.dialect;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import java.util.Optional;

/** A settlement as parameters of the settling statement. */
public record SettlementRow(
        OutboxClaim.Ref ref,
        String name,
        Optional<Integer> httpStatus,
        Optional<String> response,
        Optional<String> reason,
        Optional<String> message,
        long delayMicros,
        boolean outcomeUnknown) {

    public static SettlementRow of(Settlement settlement) {
        return switch (settlement) {
            case Settlement.Succeeded ended -> settled(ended.ref(), "succeeded", ended.result(), Optional.empty());
            case Settlement.Aborted ended ->
                settled(ended.ref(), "aborted", ended.result(), Optional.of(ended.message()));
            case Settlement.Failed ended ->
                failed(
                        ended.ref(),
                        ended.counts() ? "failed" : "tried",
                        ended.reason(),
                        ended.message(),
                        JdbcTimestamps.micros(ended.delay()),
                        ended.outcomeUnknown());
            case Settlement.Parked ended ->
                failed(ended.ref(), "parked", ended.reason(), ended.message(), 0, ended.outcomeUnknown());
            case Settlement.Released ended ->
                new SettlementRow(
                        ended.ref(),
                        "released",
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        0,
                        false);
        };
    }

    private static SettlementRow settled(
            OutboxClaim.Ref ref, String name, LedgerResult result, Optional<String> message) {
        return new SettlementRow(
                ref,
                name,
                Optional.of(result.httpStatus()),
                result.responsePayload().map(LedgerRows::storable),
                result.reason().map(ReasonCode::value),
                message.map(Parameters::storable),
                0,
                false);
    }

    private static SettlementRow failed(
            OutboxClaim.Ref ref, String name, ReasonCode reason, String message, long delayMicros, boolean unknown) {
        return new SettlementRow(
                ref,
                name,
                Optional.empty(),
                Optional.empty(),
                Optional.of(reason.value()),
                Optional.of(Parameters.storable(message)),
                delayMicros,
                unknown);
    }
}
