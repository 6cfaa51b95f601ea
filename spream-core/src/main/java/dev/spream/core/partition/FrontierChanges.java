package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

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
        return new FrontierChanges(true, frontier, frontier.readAt(), Optional.empty(), LiveWorkers.of(workers));
    }

    /**
     * What the registrations of all workers that are alive come to. A worker's own is among them.
     *
     * @param version differs whenever the workers, their capacities or their modes differ
     * @param firstEnd when the first of the registrations ends unless it is renewed; empty without workers
     * @param progress the earliest of the low watermarks and the earliest of the times at which they were known; empty if one
     *     of the workers has registered none
     */
    public record LiveWorkers(String version, Optional<Instant> firstEnd, Optional<WorkerProgress> progress) {
        public LiveWorkers {
            requireNonNull(version, "version");
            requireNonNull(firstEnd, "firstEnd");
            requireNonNull(progress, "progress");
        }

        /** Computes the same from all registrations. */
        public static LiveWorkers of(Collection<WorkerRegistration> registrations) {
            List<WorkerRegistration> alive = registrations.stream()
                    .filter(WorkerRegistration::alive)
                    .sorted(Comparator.comparing(
                            registration -> registration.worker().value()))
                    .toList();
            return new LiveWorkers(
                    alive.stream()
                            .map(registration -> List.of(
                                            registration.worker().value(),
                                            registration.capacity(),
                                            registration.wholeTransactions())
                                    .toString())
                            .toList()
                            .toString(),
                    alive.stream().map(WorkerRegistration::aliveUntil).min(Comparator.naturalOrder()),
                    progress(alive));
        }

        private static Optional<WorkerProgress> progress(List<WorkerRegistration> alive) {
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
