package dev.spream.api.metrics;

import java.util.Arrays;
import java.util.List;

/** A storage operation as the value of a tag; the set is fixed. */
enum StorageOperation {
    OPEN(
            "looking for the subscription",
            "looking for partitions",
            "looking for a snapshot",
            "opening the subscription"),
    WORKERS("registering the worker", "reading the workers", "ending the registration"),
    LINEAGE("reading the lineage", "reading the finished partitions"),
    ACQUIRE("acquiring partitions", "starting a partition"),
    RENEW("renewing the leases"),
    CHILDREN("adding child partitions", "adding partitions in the place of an expired one"),
    MOVES("storing a wait for a move-in"),
    WATERMARKS("storing watermarks"),
    FINISH("finishing a partition", "completing the subscription"),
    RELEASE("releasing a partition", "releasing partitions", "releasing expired leases"),
    GAPS("accepting a gap", "looking for accepted gaps"),
    CLEAN_UP("cleaning up", "forgetting proofs"),
    OTHER;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> beginnings; // the engine's descriptions of its storage calls

    StorageOperation(String... beginnings) {
        this.beginnings = List.of(beginnings);
    }

    static StorageOperation of(String description) {
        return Arrays.stream(values())
                .filter(operation -> operation.beginnings.stream().anyMatch(description::startsWith))
                .findFirst()
                .orElse(OTHER);
    }
}
