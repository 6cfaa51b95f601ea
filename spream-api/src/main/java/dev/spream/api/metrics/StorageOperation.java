package dev.spream.api.metrics;

import java.util.Map;

/** An operation of the storage, in a set that does not grow: a tag has one of these. */
enum StorageOperation {
    OPEN,
    WORKERS,
    LINEAGE,
    ACQUIRE,
    RENEW,
    CHILDREN,
    WATERMARKS,
    FINISH,
    RELEASE,
    GAPS,
    CLEAN_UP,
    /** One that this does not know. */
    OTHER;

    /** By what the engine says that it was doing. */
    private static final Map<String, StorageOperation> BY_DESCRIPTION = Map.ofEntries(
            Map.entry("looking for the subscription", OPEN),
            Map.entry("looking for partitions", OPEN),
            Map.entry("opening the subscription", OPEN),
            Map.entry("registering the worker", WORKERS),
            Map.entry("reading the workers", WORKERS),
            Map.entry("ending the registration", WORKERS),
            Map.entry("reading the lineage", LINEAGE),
            Map.entry("acquiring partitions", ACQUIRE),
            Map.entry("starting a partition", ACQUIRE),
            Map.entry("adding child partitions", CHILDREN),
            Map.entry("adding partitions in the place of an expired one", CHILDREN),
            Map.entry("storing watermarks", WATERMARKS),
            Map.entry("finishing a partition", FINISH),
            Map.entry("completing the subscription", FINISH),
            Map.entry("giving a partition back", RELEASE),
            Map.entry("giving partitions back", RELEASE),
            Map.entry("accepting a gap", GAPS),
            Map.entry("looking for accepted gaps", GAPS),
            Map.entry("cleaning up", CLEAN_UP));

    private static final String RENEWING = "renewing the leases";

    static StorageOperation of(String description) {
        return description.startsWith(RENEWING) ? RENEW : BY_DESCRIPTION.getOrDefault(description, OTHER);
    }
}
