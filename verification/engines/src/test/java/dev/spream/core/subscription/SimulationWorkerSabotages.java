package dev.spream.core.subscription;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.FrontierChanges.LiveWorkers;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.SimulationSabotages.SpoiledConsumer;
import dev.spream.core.subscription.SimulationSabotages.Spoiler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Ways to break what several workers promise together, one at a time. */
final class SimulationWorkerSabotages {
    private static final int CLOSE_FRAMES = 4;

    private SimulationWorkerSabotages() {}

    /** The storage takes every write for one of the current owner. */
    static SimulationSabotage epochsIgnored() {
        return new SimulationSabotage() {
            @Override
            public PartitionStorage surviving(PartitionStorage storage) {
                return (PartitionStorage) Proxy.newProxyInstance(
                        PartitionStorage.class.getClassLoader(),
                        new Class<?>[] {PartitionStorage.class},
                        (proxy, method, arguments) -> SimulationSabotages.proceed(
                                storage,
                                method,
                                Stream.ofNullable(arguments)
                                        .flatMap(Arrays::stream)
                                        .map(argument -> asOwner(storage, argument))
                                        .toArray()));
            }
        };
    }

    private static Object asOwner(PartitionStorage storage, Object argument) {
        return switch (argument) {
            case PartitionLease lease -> ownersLease(storage, lease);
            case WatermarkAdvance advance ->
                new WatermarkAdvance(ownersLease(storage, advance.lease()), advance.watermark());
            case Set<?> tokens -> tokens;
            case Collection<?> several ->
                several.stream().map(each -> asOwner(storage, each)).toList();
            default -> argument;
        };
    }

    private static PartitionLease ownersLease(PartitionStorage storage, PartitionLease lease) {
        return storage.lineage()
                .partition(lease.token())
                .filter(stored -> stored.owner().isPresent())
                .map(stored -> new PartitionLease(
                        lease.token(), stored.owner().orElseThrow(), stored.epoch(), lease.watermark()))
                .orElse(lease);
    }

    /** Checks of leases use clocks that stand still. */
    static SimulationSabotage neverFenced() {
        return new SimulationSabotage() {
            @Override
            public MonotonicTime time(MonotonicTime time) {
                long stands = time.nanoTime();
                Instant standsAt = time.instant();
                return new MonotonicTime() {
                    @Override
                    public Instant instant() {
                        return isAskedBy(LocalLease.class) ? standsAt : time.instant();
                    }

                    @Override
                    public long nanoTime() {
                        return isAskedBy(LocalLease.class) ? stands : time.nanoTime();
                    }

                    @Override
                    public long awaitNanos(Condition condition, long nanos) throws InterruptedException {
                        return time.awaitNanos(condition, nanos);
                    }
                };
            }
        };
    }

    private static boolean isAskedBy(Class<?> asking) {
        return StackWalker.getInstance()
                .walk(frames -> frames.limit(CLOSE_FRAMES)
                        .anyMatch(frame -> frame.getClassName().equals(asking.getName())));
    }

    /** The engine measures a renewed lease from half its time after the request. */
    static SimulationSabotage measuredLate() {
        return SimulationSabotages.ofStorage(
                "renew",
                process -> (storage, arguments) -> storage.renew(
                        ((Collection<?>) arguments[0])
                                .stream().map(PartitionLease.class::cast).toList(),
                        ((Duration) arguments[1]).dividedBy(2)));
    }

    /** Workers acquire what others hold. */
    static SimulationSabotage takenTooEarly() {
        return new SimulationSabotage() {
            @Override
            public PartitionStorage storage(PartitionStorage storage, SimulatedProcess process) {
                return seeing(storage, process, (stored, own) -> stored.leaseLive() && own);
            }

            @Override
            public PartitionStorage surviving(PartitionStorage storage) {
                return SimulationSabotages.spoil(PartitionStorage.class, storage, "acquire", (target, arguments) -> {
                    List<PartitionClaim> claims = ((Collection<?>) arguments[1])
                            .stream().map(PartitionClaim.class::cast).toList();
                    target.release(claims.stream()
                            .flatMap(claim -> target.lineage().partition(claim.token()).stream())
                            .filter(stored -> stored.owner().isPresent())
                            .map(stored -> new PartitionLease(
                                    stored.token(), stored.owner().orElseThrow(), stored.epoch(), stored.watermark()))
                            .toList());
                    return target.acquire((WorkerId) arguments[0], claims, (Duration) arguments[2]);
                });
            }
        };
    }

    /** Partitions held by others once are never taken over. */
    static SimulationSabotage neverTakenOver() {
        return new SimulationSabotage() {
            @Override
            public PartitionStorage storage(PartitionStorage storage, SimulatedProcess process) {
                return seeing(
                        storage,
                        process,
                        (stored, own) ->
                                stored.leaseLive() || (!own && stored.owner().isPresent()));
            }
        };
    }

    /** The leases of the lineage seem to be live where that holds, of a partition and whether it is the worker's own. */
    private static PartitionStorage seeing(
            PartitionStorage storage, SimulatedProcess process, BiPredicate<PartitionMetadata, Boolean> live) {
        return SimulationSabotages.spoilFrontier(
                storage,
                frontier -> Lineage.of(
                        frontier.partitions().stream()
                                .map(stored -> withLease(
                                        stored,
                                        live.test(
                                                stored,
                                                stored.owner().equals(Optional.of(new WorkerId(process.toString()))))))
                                .toList(),
                        frontier.readAt()));
    }

    private static PartitionMetadata withLease(PartitionMetadata stored, boolean live) {
        return new PartitionMetadata(
                stored.token(),
                stored.parentTokens(),
                stored.startTimestamp(),
                stored.state(),
                stored.watermark(),
                stored.epoch(),
                stored.owner(),
                live ? Optional.of(SimulatedMachine.EPOCH.plus(Duration.ofDays(1000))) : stored.leaseUntil(),
                live,
                stored.endProof(),
                stored.createdAt(),
                stored.scheduledAt(),
                stored.runningAt(),
                stored.finishedAt(),
                stored.gaps(),
                stored.moveIn(),
                stored.moveOuts());
    }

    /** A worker that takes a partition over reads it from a second after its watermark. */
    static SimulationSabotage resumedTooLate() {
        return SimulationSabotages.ofStorage(
                "acquire",
                process -> (storage, arguments) -> storage
                        .acquire(
                                (WorkerId) arguments[0],
                                ((Collection<?>) arguments[1])
                                        .stream()
                                                .map(PartitionClaim.class::cast)
                                                .toList(),
                                (Duration) arguments[2])
                        .stream()
                        .map(lease -> lease.epoch() == 1
                                ? lease
                                : new PartitionLease(
                                        lease.token(),
                                        lease.owner(),
                                        lease.epoch(),
                                        lease.watermark().plusMillis(1)))
                        .toList());
    }

    /** A partition is given back as soon as a watermark of it is stored. */
    static SimulationSabotage releasedTooEarly() {
        return SimulationSabotages.ofStorage("advanceWatermarks", process -> (storage, arguments) -> {
            List<WatermarkAdvance> advances = ((Collection<?>) arguments[0])
                    .stream().map(WatermarkAdvance.class::cast).toList();
            Object lost = storage.advanceWatermarks(advances);
            storage.release(advances.stream().map(WatermarkAdvance::lease).toList());
            return lost;
        });
    }

    /** Every worker takes itself for the only one. */
    static SimulationSabotage neverShared() {
        return seeing((process, workers) ->
                workers.filter(other -> other.worker().value().equals(process.toString())));
    }

    /** Every worker believes in others that are not there. */
    static SimulationSabotage imaginedWorkers() {
        return seeing((process, workers) -> Stream.concat(
                workers,
                Stream.of("x", "y", "z")
                        .map(name -> new WorkerRegistration(
                                new WorkerId(name),
                                1000,
                                false,
                                SimulatedMachine.EPOCH,
                                SimulatedMachine.EPOCH.plus(Duration.ofDays(1000)),
                                Optional.empty(),
                                true))));
    }

    /** Looks leave some of the changes out. */
    static SimulationSabotage forgottenChanges() {
        return ofLooks((storage, arguments) -> {
            FrontierChanges look = look(storage, arguments);
            return look.complete()
                    ? look
                    : new FrontierChanges(
                            false,
                            Lineage.of(
                                    look.partitions().partitions().stream()
                                            .filter(partition -> partition.leaseLive() || partition.isFinished())
                                            .toList(),
                                    look.partitions().readAt()),
                            look.asOf(),
                            look.mark(),
                            look.workers());
        });
    }

    /** Looks do not show that a worker is gone. */
    static SimulationSabotage workersForEver() {
        return ofLooks((storage, arguments) -> {
            FrontierChanges look = look(storage, arguments);
            return new FrontierChanges(
                    look.complete(),
                    look.partitions(),
                    look.asOf(),
                    look.mark(),
                    new LiveWorkers(
                            look.workers().changed().filter(alive -> look.complete() || alive.size() > 1),
                            look.workers().firstEnd(),
                            look.workers().progress()));
        });
    }

    /** Workers register without the partitions that they have. */
    static SimulationSabotage progressOfNone() {
        return SimulationSabotages.ofStorage("registerWorker", process -> (storage, arguments) -> {
            storage.registerWorker(
                    (WorkerId) arguments[0],
                    (int) arguments[1],
                    (boolean) arguments[2],
                    ((Optional<?>) arguments[3])
                            .map(WorkerProgress.class::cast)
                            .map(progress -> new WorkerProgress(Optional.empty(), progress.asOf())),
                    (Duration) arguments[4]);
            return null;
        });
    }

    private static SimulationSabotage ofLooks(Spoiler<PartitionStorage> spoiler) {
        return SimulationSabotages.ofStorage("frontierSince", process -> spoiler);
    }

    static FrontierChanges look(PartitionStorage storage, Object[] arguments) {
        return storage.frontierSince(
                ((Optional<?>) arguments[0]).map(String.class::cast),
                ((Set<?>) arguments[1]).stream().map(PartitionToken.class::cast).collect(Collectors.toSet()));
    }

    private static SimulationSabotage seeing(
            BiFunction<SimulatedProcess, Stream<WorkerRegistration>, Stream<WorkerRegistration>> spoiler) {
        return SimulationSabotages.ofStorage("frontierSince", process -> (storage, arguments) -> {
            FrontierChanges look = storage.frontierSince(Optional.empty(), Set.of());
            List<WorkerRegistration> seen = spoiler.apply(process, look.workers().changed().orElseThrow().stream())
                    .toList();
            return FrontierChanges.everything(look.partitions(), seen);
        });
    }

    /** The consumers' target accepts everything. */
    static SimulationSabotage noFence() {
        return new SimulationSabotage() {
            @Override
            public boolean fences() {
                return false;
            }
        };
    }

    /** Deliveries tell the epoch of the first owner. */
    static SimulationSabotage oldEpochs() {
        return new SimulationSabotage() {
            @Override
            public Consumer consumer(Consumer consumer, SimulatedProcess process) {
                return consumer instanceof BatchConsumer
                        ? consumer
                        : new SpoiledConsumer(consumer) {
                            @Override
                            public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
                                target.consume(
                                        change,
                                        new Delivery(
                                                delivery.partition(),
                                                1,
                                                delivery.attempt(),
                                                delivery.deadline(),
                                                delivery.lowWatermark()));
                            }
                        };
            }
        };
    }
}
