package dev.spream.core.subscription.reading;

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.source.SourceException;
import java.util.Optional;

/** The reaction to changes lost to the retention period. Called by the reading's thread. */
@FunctionalInterface
public interface LossHandler {

    /**
     * Accepts the loss, or throws the exception that ends the reading.
     *
     * @param expired whether the whole partition expired, with the names of its children
     * @return the proof to finish the partition with; empty if the reading continues, from the position that was {@linkplain
     *     PartitionReading#skipTo skipped to}
     * @throws SourceException if the server fails; a transient failure leads to another try
     */
    Optional<PartitionEnd> accept(SourceException failure, boolean expired) throws InterruptedException;
}
