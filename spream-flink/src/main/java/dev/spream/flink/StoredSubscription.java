package dev.spream.flink;

import dev.spream.core.partition.SubscriptionState;
import java.io.Serializable;

/**
 * A stored subscription of workers, read once by the enumerator of a job that begins where it stands, such as {@link
 * SpannerSubscription}. It is sent to the cluster with the job, so everything that it refers to is serializable too.
 */
@FunctionalInterface
public interface StoredSubscription extends Serializable {

    /**
     * Reads the subscription, by {@link SubscriptionState#ofStopped}, and closes what it has opened for that.
     *
     * @throws dev.spream.core.StorageException if it cannot be read, or a worker may still read it
     */
    SubscriptionState read();
}
