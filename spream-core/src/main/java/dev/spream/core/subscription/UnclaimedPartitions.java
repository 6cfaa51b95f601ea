package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Partitions that other workers should have claimed and did not: a worker can be registered and yet be stuck. Confined
 * to the scheduler's thread.
 */
final class UnclaimedPartitions {
    private static final int TIMEOUT_INTERVALS = 3;
    private static final int MAX_ABSTENTION_LEASES = 64;
    private static final Logger log = LoggerFactory.getLogger(UnclaimedPartitions.class);

    private final EngineContext context;
    private final Map<PartitionToken, Long> freeSince = new HashMap<>();
    private long lastSeen;
    private long abstention; // 0 until partitions were first found unclaimed

    UnclaimedPartitions(EngineContext context) {
        this.context = context;
    }

    /** Returns those of the partitions that have been free for a few discovery intervals, in their order. */
    List<PartitionMetadata> of(List<PartitionMetadata> othersClaims) {
        long now = context.time().nanoTime();
        freeSince
                .keySet()
                .retainAll(othersClaims.stream().map(PartitionMetadata::token).collect(Collectors.toSet()));
        othersClaims.forEach(partition -> freeSince.putIfAbsent(partition.token(), now));
        long timeout = context.options().partitionDiscoveryInterval().toNanos() * TIMEOUT_INTERVALS;
        List<PartitionMetadata> neglected = othersClaims.stream()
                .filter(partition -> now - freeSince.getOrDefault(partition.token(), now) >= timeout)
                .toList();
        if (!neglected.isEmpty()) {
            log.info(
                    "[{}] claiming {} partitions that other workers left unclaimed; rebalancing is paused. A registered worker is not claiming partitions: check its log",
                    context.source().streamName(),
                    neglected.size());
            abstain(now);
        }
        return neglected;
    }

    /** Pauses rebalancing for one lease time, doubled each time when handed-over partitions soon come back. */
    private void abstain(long now) {
        long least = context.options().leaseTime().toNanos();
        boolean again = abstention > 0 && now - lastSeen < 2 * abstention;
        boolean underWay = abstention > 0 && now - lastSeen < abstention;
        if (!underWay) {
            abstention = again ? Math.min(2 * abstention, least * MAX_ABSTENTION_LEASES) : least;
            lastSeen = now;
        }
    }

    /** Returns whether rebalancing is paused, because other workers have not claimed their shares. */
    boolean abstains() {
        return abstention > 0 && context.time().nanoTime() - lastSeen < abstention;
    }
}
