package dev.spream.api.spi;

import dev.spream.core.StorageException;
import java.time.Instant;
import java.util.Optional;

/**
 * The subscription of a sink, as its partition storage has it. Safe for use by many threads, after the creation of the sink
 * as well.
 */
@FunctionalInterface
public interface StoredSubscription {

    /**
     * Returns when the subscription was stored: two of one name with different times are different ones, in two storages,
     * or begun anew. Empty before the first run of the subscription; present once a change is delivered. Asks the storage
     * with each call.
     *
     * @throws StorageException if the storage fails
     */
    Optional<Instant> createdAt();
}
