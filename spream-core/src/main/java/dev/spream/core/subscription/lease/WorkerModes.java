package dev.spream.core.subscription.lease;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The workers that read a subscription while some deliver whole transactions and others each change by itself, as computed
 * by one of them: a pure function of the stored state. The workers of one mode read, and those of the other wait: a change
 * that one of these settles by itself would be missing in its transaction.
 *
 * <p>The mode is that of the first worker that holds partitions, or of the first worker if none holds any. So it changes
 * when the last worker of it has stopped.
 *
 * @param sharing the workers of the mode of this one
 * @param awaited the workers of the other mode for which this one waits; none if it reads
 * @param gives whether this worker has to hand over what it holds, since the mode is the other one
 */
public record WorkerModes(List<WorkerRegistration> sharing, List<WorkerRegistration> awaited, boolean gives) {

    /**
     * Computes the workers of each mode.
     *
     * @param members the workers that are alive, this one among them
     */
    public static WorkerModes of(Lineage lineage, Collection<WorkerRegistration> members, WorkerId worker) {
        boolean mode = members.stream()
                .filter(member -> member.worker().equals(worker))
                .findFirst()
                .orElseThrow()
                .wholeTransactions();
        List<WorkerRegistration> sharing = select(members, member -> member.wholeTransactions() == mode);
        List<WorkerRegistration> others = select(members, member -> member.wholeTransactions() != mode);
        if (others.isEmpty()) {
            return new WorkerModes(sharing, others, false);
        }
        Set<WorkerId> owners = lineage.partitions().stream()
                .filter(partition -> !partition.isFinished() && partition.leaseLive())
                .flatMap((PartitionMetadata partition) -> partition.owner().stream())
                .collect(Collectors.toSet());
        List<WorkerRegistration> holders = select(members, member -> owners.contains(member.worker()));
        boolean leads = (holders.isEmpty() ? members : holders)
                        .stream().min(FairShare.FIRST_MEMBER).orElseThrow().wholeTransactions()
                == mode;
        return leads
                ? new WorkerModes(sharing, select(holders, others::contains), false)
                : new WorkerModes(sharing, others, owners.contains(worker));
    }

    private static List<WorkerRegistration> select(
            Collection<WorkerRegistration> members, Predicate<WorkerRegistration> condition) {
        return members.stream().filter(condition).toList();
    }
}
