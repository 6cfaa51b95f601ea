package dev.spream.outbox;

import java.util.List;

/**
 * The outcome of a call that claims due entries: those to send, and the number of those that needed no sending.
 *
 * @param claims the entries that the worker may send, in the order in which they were due
 * @param leasesExpired the number of claims taken over from other workers whose leases had expired
 * @param synchronised the number of entries that were not claimed but settled with the result already in the ledger
 * @param conflicts the number of entries that were not claimed but aborted, because their key belongs to another
 *     request in the ledger
 */
public record ClaimResult(List<OutboxClaim> claims, int leasesExpired, int synchronised, int conflicts) {
    public ClaimResult {
        claims = List.copyOf(claims);
    }

    public boolean isEmpty() {
        return claims.isEmpty() && synchronised == 0 && conflicts == 0;
    }
}
