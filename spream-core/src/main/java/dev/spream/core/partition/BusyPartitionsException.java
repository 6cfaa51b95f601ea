package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import java.util.Set;

/**
 * Some partitions of a batch were locked by another session of the storage and were not changed; all others were
 * processed. Retryable: repeat the call, for the busy partitions or for all.
 */
public final class BusyPartitionsException extends StorageException {
    private static final long serialVersionUID = 1L;

    private final transient Set<PartitionToken> busy;
    private final transient Set<PartitionToken> lost;

    /**
     * Creates the exception for a batch of which some partitions were busy.
     *
     * @param lost the result of the call: the partitions whose lease was lost
     */
    public BusyPartitionsException(String message, Set<PartitionToken> busy, Set<PartitionToken> lost) {
        super(message, true, null);
        this.busy = Set.copyOf(requireNonNull(busy, "busy"));
        this.lost = Set.copyOf(requireNonNull(lost, "lost"));
    }

    public Set<PartitionToken> busy() {
        return busy;
    }

    public Set<PartitionToken> lost() {
        return lost;
    }
}
