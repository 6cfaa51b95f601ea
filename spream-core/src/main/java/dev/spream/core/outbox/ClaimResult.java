package dev.spream.core.outbox;

import java.util.List;

/**
 * What came of a claim.
 *
 * @param claims what the worker may send, in the order in which it was due
 * @param leasesExpired how many of the claims were another's, whose lease had run out
 * @param synchronised how many entries were not claimed since the ledger had an answer to them, which they have now as well
 * @param conflicts how many entries were not claimed but aborted, since the ledger had another request under their key
 * @param ordered whether there were entries with an ordering key that are not settled; always true of a claim of such entries
 */
public record ClaimResult(
        List<OutboxClaim> claims, int leasesExpired, int synchronised, int conflicts, boolean ordered) {
    public ClaimResult {
        claims = List.copyOf(claims);
    }

    public boolean isEmpty() {
        return claims.isEmpty() && synchronised == 0 && conflicts == 0;
    }
}
