package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A {@linkplain PartitionStorage#frontierSince look} at the frontier: the partitions that changed since an earlier look, as
 * they are now.
 *
 * @param complete whether this is the whole frontier, which replaces all that was known
 * @param partitions the partitions that changed, and those that were asked for; read at one moment, not after {@link
 *     Lineage#readAt}
 * @param asOf a time not after that moment, on the storage's clock
 * @param mark where the next look begins; empty if it has to read everything
 * @param workers the workers that are alive
 */
public record FrontierChanges(
        boolean complete, Lineage partitions, Instant asOf, Optional<String> mark, LiveWorkers workers) {
    public FrontierChanges {
        requireNonNull(partitions, "partitions");
        requireNonNull(asOf, "asOf");
        requireNonNull(mark, "mark");
        requireNonNull(workers, "workers");
    }

    /** Returns a look of a storage that does not keep what changed: everything, without a mark. */
    public static FrontierChanges everything(Lineage frontier, Collection<WorkerRegistration> workers) {
        List<WorkerRegistration> alive =
                workers.stream().filter(WorkerRegistration::alive).toList();
        return new FrontierChanges(
                true, frontier, frontier.readAt(), Optional.empty(), LiveWorkers.of(alive, Optional.of(alive)));
    }

    /**
     * The workers that are alive at the moment of the look, the one that looks among them.
     *
     * @param changed their registrations, in any order; empty if the workers, their capacities and their modes are those of
     *     the earlier look
     * @param firstEnd when the first of the registrations ends unless it is renewed; empty without workers
     * @param progress the earliest of the low watermarks, and the earliest of the times at which they were known; empty
     *     without workers, and if one of them has registered none
     */
    public record LiveWorkers(
            Optional<List<WorkerRegistration>> changed, Optional<Instant> firstEnd, Optional<WorkerProgress> progress) {
        public LiveWorkers {
            changed = changed.map(List::copyOf);
            requireNonNull(firstEnd, "firstEnd");
            requireNonNull(progress, "progress");
        }

        /** Computes the rest from the registrations of those that are alive. */
        public static LiveWorkers of(Collection<WorkerRegistration> alive, Optional<List<WorkerRegistration>> changed) {
            return new LiveWorkers(
                    changed,
                    alive.stream().map(WorkerRegistration::aliveUntil).min(Comparator.naturalOrder()),
                    progress(alive));
        }

        private static Optional<WorkerProgress> progress(Collection<WorkerRegistration> alive) {
            List<WorkerProgress> known = alive.stream()
                    .flatMap(registration -> registration.progress().stream())
                    .toList();
            return known.size() < alive.size()
                    ? Optional.empty()
                    : known.stream()
                            .map(WorkerProgress::asOf)
                            .min(Comparator.naturalOrder())
                            .map(asOf -> new WorkerProgress(
                                    known.stream()
                                            .flatMap(progress -> progress.lowWatermark().stream())
                                            .min(Comparator.naturalOrder()),
                                    asOf));
        }
    }
}
