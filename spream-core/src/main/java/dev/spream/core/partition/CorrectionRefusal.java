package dev.spream.core.partition;

/** A reason to refuse a correction, or to leave a subscription to its workers. */
final class CorrectionRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String reason;

    CorrectionRefusal(String reason) {
        super(reason, null, false, false);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }

    /** Refuses a subscription that a worker may read. */
    static void requireIdle(Lineage lineage, Iterable<WorkerRegistration> workers) {
        for (WorkerRegistration worker : workers) {
            if (worker.alive()) {
                throw new CorrectionRefusal(
                        "worker %s is registered until %s, and may read the subscription; nothing was changed. Stop every worker, or wait until then if it is gone"
                                .formatted(worker.worker(), worker.aliveUntil()));
            }
        }
        lineage.partitions().stream()
                .filter(PartitionMetadata::leaseLive)
                .findFirst()
                .ifPresent(held -> {
                    throw new CorrectionRefusal(
                            "worker %s holds partition %s until %s; nothing was changed. Stop every worker, or wait until then if it is gone"
                                    .formatted(
                                            held.owner().orElseThrow(),
                                            held.token().abbreviated(),
                                            held.leaseUntil().orElseThrow()));
                });
    }
}
