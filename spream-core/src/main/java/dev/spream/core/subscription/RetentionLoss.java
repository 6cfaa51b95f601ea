package dev.spream.core.subscription;

/**
 * The treatment of changes that were lost to the stream's retention period before they were read: the subscription was
 * stopped, or held up, for longer than the stream keeps its changes.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams#data-retention">Spanner: data retention</a>
 */
public enum RetentionLoss {
    /** Stop with an exception that names the partition and the lost period. No change is skipped. The default. */
    STOP,

    /**
     * Accept the loss: record it as a gap of the partition, notify the {@linkplain SubscriptionListener#gapAccepted
     * listener}, and continue with the first changes that the stream still has.
     */
    ACCEPT_GAP
}
