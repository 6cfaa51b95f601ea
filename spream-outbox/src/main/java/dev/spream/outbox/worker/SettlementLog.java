package dev.spream.outbox.worker;

import dev.spream.core.DurationText;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.Settlement;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of settlements. It contains neither payloads nor responses of the receiver.
 *
 * @param adapters the names of the senders in log lines, by destination
 */
record SettlementLog(OutboxOwner owner, Map<String, String> adapters) {
    private static final Logger log = LoggerFactory.getLogger(SettlementLog.class);

    void settled(OutboxClaim claim, Settlement settlement, long latencyMillis) {
        switch (settlement) {
            case Settlement.Succeeded succeeded ->
                log.debug("{} status=succeeded latency_ms={}", label(claim), latencyMillis);
            case Settlement.Released released ->
                log.debug("{} status=pending latency_ms={}: released without an attempt", label(claim), latencyMillis);
            case Settlement.Failed failed ->
                log.warn(
                        "{} status=failed reason_code={} outcome_unknown={} latency_ms={}: {}; due again in {}{}",
                        label(claim),
                        failed.reason(),
                        failed.outcomeUnknown(),
                        latencyMillis,
                        failed.message(),
                        DurationText.of(failed.delay()),
                        failed.counts() ? "" : "; the attempt only probed the receiver and does not count");
            case Settlement.Aborted aborted ->
                log.error(
                        "{} status=aborted reason_code={} latency_ms={}: {}; the entry is aborted and"
                                + " recorded as failed in the ledger",
                        label(claim),
                        aborted.result().reason().orElseThrow(),
                        latencyMillis,
                        aborted.message());
            case Settlement.Parked parked ->
                log.error(
                        "{} status=failed reason_code={} outcome_unknown={} latency_ms={}: {}; the entry is"
                                + " parked until an operator requeues, settles or aborts it",
                        label(claim),
                        parked.reason(),
                        parked.outcomeUnknown(),
                        latencyMillis,
                        parked.message());
        }
    }

    /** Returns a label that hashes the key only if the line is logged. */
    private Object label(OutboxClaim claim) {
        return new Object() {
            @Override
            public String toString() {
                return EntryLabel.of(owner, claim) + " adapter="
                        + adapters.get(claim.entry().destination());
            }
        };
    }
}
