package dev.spream.outbox.worker;

import dev.spream.core.DurationText;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.Settlement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to the log how entries end: never what they hold, and never what was answered.
 *
 * @param adapter what the sender is called
 */
record SettlementLog(OutboxOwner owner, String adapter) {
    private static final Logger log = LoggerFactory.getLogger(SettlementLog.class);

    void settled(OutboxClaim claim, Settlement settlement, long latencyMillis) {
        switch (settlement) {
            case Settlement.Succeeded succeeded ->
                log.debug("{} status=succeeded latency_ms={}", label(claim), latencyMillis);
            case Settlement.Released released ->
                log.debug("{} status=pending latency_ms={}: given back untried", label(claim), latencyMillis);
            case Settlement.Failed failed ->
                log.warn(
                        "{} status=failed reason_code={} outcome_unknown={} latency_ms={}: {}; due again in {}{}",
                        label(claim),
                        failed.reason(),
                        failed.outcomeUnknown(),
                        latencyMillis,
                        failed.message(),
                        DurationText.of(failed.delay()),
                        failed.counts() ? "" : "; it only tried the receiver, and the attempt does not count");
            case Settlement.Aborted aborted ->
                log.error(
                        "{} status=aborted reason_code={} latency_ms={}: {}; it is given up, and the ledger says so",
                        label(claim),
                        aborted.result().reason().orElseThrow(),
                        latencyMillis,
                        aborted.message());
            case Settlement.Parked parked ->
                log.error(
                        "{} status=failed reason_code={} outcome_unknown={} latency_ms={}: {}; it is parked until somebody requeues, settles or aborts it",
                        label(claim),
                        parked.reason(),
                        parked.outcomeUnknown(),
                        latencyMillis,
                        parked.message());
        }
    }

    /** Hashes the key only if the line is written. */
    private Object label(OutboxClaim claim) {
        return new Object() {
            @Override
            public String toString() {
                return EntryLabel.of(owner, claim) + " adapter=" + adapter;
            }
        };
    }
}
