package dev.spream.core.subscription.lease;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The division of the partitions that can be read among the workers that are alive, as computed by one of them: a pure
 * function of the stored state. Workers that see the same state compute the same shares; one that sees an older state
 * may claim a partition that another claims, which the storage decides, or hand over one partition too many, which is
 * claimed by the worker with the fewest.
 *
 * <p>Two steps. Each free partition is assigned to a worker with the fewest that has capacity, the oldest watermark
 * first; among several, to the one that finished its parent, which discovers it first. Then, as long as a worker has
 * two more than another with capacity, it hands one over. Shares that differ by one are not changed: partitions end and
 * begin all the time, and a hand-over has a cost.
 *
 * @param claims free partitions for this worker, the oldest watermark first
 * @param othersClaims free partitions for other workers, which may not have discovered them yet
 * @param unclaimed free partitions that no worker can take
 * @param surplus the number of partitions that this worker should hand over
 * @param due the number of partitions that others should hand over to this worker
 */
public record FairShare(
        List<PartitionMetadata> claims,
        List<PartitionMetadata> othersClaims,
        List<PartitionMetadata> unclaimed,
        int surplus,
        int due) {

    static final Comparator<WorkerRegistration> FIRST_MEMBER = Comparator.comparing(WorkerRegistration::registeredAt)
            .thenComparing(member -> member.worker().value());

    /**
     * Computes the shares.
     *
     * @param members the workers that are alive, this one among them
     * @param leaving partitions that this worker is handing over already: they count as free, although they cannot be
     *     claimed yet
     */
    public static FairShare of(
            Lineage lineage, Collection<WorkerRegistration> members, WorkerId worker, Set<PartitionToken> leaving) {
        Map<WorkerId, Share> shares = LinkedHashMap.newLinkedHashMap(members.size());
        members.stream()
                .sorted(FIRST_MEMBER)
                .forEach(member -> shares.put(member.worker(), new Share(member.worker(), member.capacity())));
        count(lineage, shares, worker, leaving);

        List<PartitionMetadata> claims = new ArrayList<>();
        List<PartitionMetadata> othersClaims = new ArrayList<>();
        List<PartitionMetadata> unclaimed = new ArrayList<>();
        for (PartitionMetadata free : lineage.claimable()) {
            WorkerId taker = take(free, lineage, shares).orElse(null);
            (taker == null ? unclaimed : taker.equals(worker) ? claims : othersClaims).add(free);
        }
        lineage.partitions().stream()
                .filter(partition ->
                        isHeld(partition) && leaving.contains(partition.token()) && isOwnedBy(worker, partition))
                .forEach(partition -> fewest(shares).ifPresent(share -> share.partitions++));
        Share own = shares.get(worker);
        if (own == null) {
            throw new IllegalArgumentException("worker %s is not among the members".formatted(worker));
        }
        int moved = balance(shares.values(), own);
        return new FairShare(
                List.copyOf(claims),
                List.copyOf(othersClaims),
                List.copyOf(unclaimed),
                Math.max(0, -moved),
                Math.max(0, moved));
    }

    /**
     * Computes the shares where one worker has all partitions: the one that holds some, or else the first member. If two
     * hold some, as after a start at the same moment, the second one hands over all of its.
     */
    public static FairShare ofOne(Lineage lineage, Collection<WorkerRegistration> members, WorkerId worker) {
        List<WorkerId> holders = lineage.partitions().stream()
                .filter(FairShare::isHeld)
                .flatMap(partition -> partition.owner().stream())
                .distinct()
                .sorted(Comparator.comparing(WorkerId::value))
                .toList();
        WorkerId reader = holders.isEmpty()
                ? members.stream()
                        .min(FIRST_MEMBER)
                        .map(WorkerRegistration::worker)
                        .orElse(worker)
                : holders.getFirst();
        if (reader.equals(worker)) {
            return new FairShare(lineage.claimable(), List.of(), List.of(), 0, 0);
        }
        int held = (int) lineage.partitions().stream()
                .filter(partition -> isHeld(partition) && isOwnedBy(worker, partition))
                .count();
        List<PartitionMetadata> free = holders.isEmpty() ? lineage.claimable() : List.of();
        return new FairShare(List.of(), free, List.of(), held, 0);
    }

    private static void count(
            Lineage lineage, Map<WorkerId, Share> shares, WorkerId worker, Set<PartitionToken> leaving) {
        for (PartitionMetadata partition : lineage.partitions()) {
            if (isHeld(partition) && !(leaving.contains(partition.token()) && isOwnedBy(worker, partition))) {
                partition.owner().map(shares::get).ifPresent(share -> share.partitions++);
            }
        }
    }

    private static boolean isOwnedBy(WorkerId worker, PartitionMetadata partition) {
        return partition.owner().filter(worker::equals).isPresent();
    }

    private static boolean isHeld(PartitionMetadata partition) {
        return !partition.isFinished() && partition.leaseLive();
    }

    /** Assigns a free partition to the next worker; empty if none has capacity. */
    private static Optional<WorkerId> take(PartitionMetadata free, Lineage lineage, Map<WorkerId, Share> shares) {
        Optional<Share> fewest = fewest(shares);
        if (fewest.isEmpty()) {
            return Optional.empty();
        }
        int least = fewest.get().partitions;
        Share taker = parentsReaders(free, lineage).stream()
                .map(shares::get)
                .filter(share -> share != null && share.hasRoom() && share.partitions == least)
                .findFirst()
                .orElse(fewest.get());
        taker.partitions++;
        return Optional.of(taker.worker);
    }

    private static List<WorkerId> parentsReaders(PartitionMetadata partition, Lineage lineage) {
        List<PartitionToken> parents =
                partition.parentTokens().isEmpty() ? List.of(PartitionToken.ROOT) : partition.parentTokens();
        return parents.stream()
                .flatMap(parent -> lineage.partition(parent).stream())
                .flatMap(parent -> parent.owner().stream())
                .toList();
    }

    private static Optional<Share> fewest(Map<WorkerId, Share> shares) {
        return shares.values().stream().filter(Share::hasRoom).min(Comparator.comparingInt(share -> share.partitions));
    }

    /**
     * Moves partitions from the workers with the most to those with the fewest; returns the number that this worker
     * gains, negative if it loses some.
     */
    private static int balance(Collection<Share> shares, Share own) {
        int before = own.partitions;
        while (true) {
            Share most = null;
            Share fewest = null;
            for (Share share : shares) {
                most = most == null || share.partitions > most.partitions ? share : most;
                if (share.hasRoom()) {
                    fewest = fewest == null || share.partitions < fewest.partitions ? share : fewest;
                }
            }
            if (most == null || fewest == null || most.partitions - fewest.partitions < 2) {
                return own.partitions - before;
            }
            most.partitions--;
            fewest.partitions++;
        }
    }

    /** The partitions that one worker has, or is to have. */
    private static final class Share {
        private final WorkerId worker;
        private final int capacity;
        private int partitions;

        Share(WorkerId worker, int capacity) {
            this.worker = worker;
            this.capacity = capacity;
        }

        boolean hasRoom() {
            return partitions < capacity;
        }
    }
}
