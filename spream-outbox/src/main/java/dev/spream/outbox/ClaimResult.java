package dev.spream.outbox;

import java.util.List;

/**
 * The outcome of a claim.
 *
 * @param claims what the worker may send, in the order in which it was due
 * @param leasesExpired how many of the claims were another worker's with an expired lease
 * @param synchronised how many entries were not claimed but settled with the result that the ledger already had
 * @param conflicts how many entries were not claimed but aborted, since the ledger had another request under their key
 */
public record ClaimResult(List<OutboxClaim> claims, int leasesExpired, int synchronised, int conflicts) {
    public ClaimResult {
        claims = List.copyOf(claims);
    }

    public boolean isEmpty() {
        return claims.isEmpty() && synchronised == 0 && conflicts == 0;
    }
}
