package dev.spream.core.subscription;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Ways to break each promise that one worker can break, one at a time. */
final class SimulationSabotages {
    private static final int ONE_IN = 20;

    private SimulationSabotages() {}

    /** A call that is spoiled on its way to the port, or has its result spoiled. */
    interface Spoiler<T> {
        @Nullable
        Object call(T target, Object[] arguments) throws Throwable;
    }

    static <T> T spoil(Class<T> port, T target, String methodName, Spoiler<T> spoiler) {
        InvocationHandler handler =
                (proxy, method, arguments) -> method.getName().equals(methodName)
                        ? spoiler.call(target, arguments)
                        : proceed(target, method, arguments);
        return port.cast(Proxy.newProxyInstance(port.getClassLoader(), new Class<?>[] {port}, handler));
    }

    static Object proceed(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    static SimulationSabotage ofStorage(String method, Function<SimulatedProcess, Spoiler<PartitionStorage>> spoiler) {
        return new SimulationSabotage() {
            @Override
            public PartitionStorage storage(PartitionStorage storage, SimulatedProcess process) {
                return spoil(PartitionStorage.class, storage, method, spoiler.apply(process));
            }
        };
    }

    private static SimulationSabotage ofOptions(UnaryOperator<SubscriberOptions.Builder> change) {
        return new SimulationSabotage() {
            @Override
            public SubscriberOptions options(SubscriberOptions options) {
                return change.apply(options.toBuilder()).build();
            }
        };
    }

    /** Spoils each cursor's {@code next}. */
    private static SimulationSabotage ofCursor(Spoiler<ChangeStreamCursor> spoiler) {
        return new SimulationSabotage() {
            @Override
            public ChangeStreamSource source(ChangeStreamSource source) {
                return spoil(
                        ChangeStreamSource.class,
                        source,
                        "query",
                        (target, arguments) -> spoil(
                                ChangeStreamCursor.class,
                                target.query((PartitionQuery) arguments[0]),
                                "next",
                                spoiler));
            }
        };
    }

    /** No partition has parents, as far as the gate can see. */
    static SimulationSabotage openGate() {
        return new SimulationSabotage() {
            @Override
            public Optional<PartitionMode> mode() {
                return Optional.of(PartitionMode.IMMUTABLE_KEY_RANGE);
            }

            @Override
            public PartitionStorage storage(PartitionStorage storage, SimulatedProcess process) {
                return spoilFrontier(
                        storage,
                        frontier -> Lineage.of(
                                frontier.partitions().stream()
                                        .map(SimulationSabotages::orphaned)
                                        .toList(),
                                frontier.readAt()));
            }
        };
    }

    /** The frontier is always read as a whole, and seems to be another one. */
    static PartitionStorage spoilFrontier(PartitionStorage storage, UnaryOperator<Lineage> spoiler) {
        PartitionStorage looks = spoil(PartitionStorage.class, storage, "frontierSince", (target, arguments) -> {
            FrontierChanges look = target.frontierSince(Optional.empty(), Set.of());
            return new FrontierChanges(
                    true, spoiler.apply(look.partitions()), look.asOf(), Optional.empty(), look.workers());
        });
        return spoil(PartitionStorage.class, looks, "frontier", (target, none) -> spoiler.apply(target.frontier()));
    }

    private static PartitionMetadata orphaned(PartitionMetadata stored) {
        return new PartitionMetadata(
                stored.token(),
                List.of(),
                stored.startTimestamp(),
                stored.state(),
                stored.watermark(),
                stored.epoch(),
                stored.owner(),
                stored.leaseUntil(),
                stored.leaseLive(),
                stored.endProof(),
                stored.createdAt(),
                stored.scheduledAt(),
                stored.runningAt(),
                stored.finishedAt(),
                stored.gaps(),
                stored.moveIn(),
                stored.moveOuts());
    }

    /** Watermarks are stored one nanosecond too high. */
    static SimulationSabotage highWatermark() {
        return ofStorage(
                "advanceWatermarks",
                process -> (storage, arguments) -> storage.advanceWatermarks(((Collection<?>) arguments[0])
                        .stream()
                                .map(WatermarkAdvance.class::cast)
                                .map(advance -> new WatermarkAdvance(
                                        advance.lease(), advance.watermark().plusNanos(1)))
                                .toList()));
    }

    /** A stream that breaks seems to end with OK. */
    static SimulationSabotage breaksAreEnds() {
        return ofCursor((cursor, arguments) -> {
            try {
                return cursor.next();
            } catch (SourceException e) {
                if (e.kind() == SourceException.Kind.TRANSIENT) {
                    return Optional.empty();
                }
                throw e;
            }
        });
    }

    /** Children are stored after the call that stores them has returned. */
    static SimulationSabotage lateChildren() {
        return ofStorage("addChildren", process -> (storage, arguments) -> {
            process.start("late-children", () -> {
                process.sleepUninterruptibly(50_000_000);
                storage.addChildren((PartitionLease) arguments[0], (ChildPartitionsRecord) arguments[1]);
            });
            return true;
        });
    }

    /** Some rows do not get through. */
    static SimulationSabotage lostRows() {
        return ofCursor((cursor, arguments) -> {
            Optional<ChangeRecord> row = cursor.next();
            return row.isPresent()
                            && row.get() instanceof DataChangeRecord change
                            && Math.floorMod(change.identity().hashCode(), ONE_IN) == 0
                    ? cursor.next()
                    : row;
        });
    }

    abstract static class SpoiledConsumer implements Consumer {
        final Consumer target;

        SpoiledConsumer(Consumer target) {
            this.target = target;
        }

        @Override
        public void flush() throws Exception {
            target.flush();
        }
    }

    /** The call returns before the consumer has. */
    static SimulationSabotage earlyAck() {
        return new SimulationSabotage() {
            @Override
            public Consumer consumer(Consumer consumer, SimulatedProcess process) {
                return consumer instanceof BatchConsumer
                        ? consumer
                        : new SpoiledConsumer(consumer) {
                            @Override
                            public void consume(DataChangeRecord change, Delivery delivery) {
                                process.start("late-consumer", () -> consumeAnyway(target, change, delivery));
                            }
                        };
            }
        };
    }

    private static void consumeAnyway(Consumer consumer, DataChangeRecord change, Delivery delivery) {
        try {
            consumer.consume(change, delivery);
        } catch (SimulationViolation violation) {
            throw violation;
        } catch (Throwable ignored) { // no caller is left to be notified
            Thread.yield();
        }
    }

    /** The consumer gets each change twice. */
    static SimulationSabotage twice() {
        return new SimulationSabotage() {
            @Override
            public Consumer consumer(Consumer consumer, SimulatedProcess process) {
                return consumer instanceof BatchConsumer
                        ? consumer
                        : new SpoiledConsumer(consumer) {
                            @Override
                            public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
                                target.consume(change, delivery);
                                target.consume(change, delivery);
                            }
                        };
            }
        };
    }

    /** Nothing is flushed before watermarks are stored. */
    static SimulationSabotage noFlush() {
        return new SimulationSabotage() {
            @Override
            public Consumer consumer(Consumer consumer, SimulatedProcess process) {
                if (consumer instanceof BatchConsumer batches) {
                    return (BatchConsumer) batches::consume;
                }
                return consumer::consume;
            }
        };
    }

    /** Changes of one key are consumed at the same time, whatever order was asked for. */
    static SimulationSabotage noLanes() {
        return ofOptions(options -> options.ordering(Ordering.NONE));
    }

    /** More is read ahead than was asked for. */
    static SimulationSabotage muchInflight() {
        return ofOptions(options -> options.maxInflight(SubscriberOptions.MAX_MAX_INFLIGHT));
    }

    /** More is read over all partitions than was asked for. */
    static SimulationSabotage muchBuffered() {
        return ofOptions(options -> options.maxBufferedChanges(10_000));
    }

    /** More partitions are read than was asked for. */
    static SimulationSabotage manyQueries() {
        return ofOptions(options -> options.maxOpenPartitions(10_000));
    }

    /** The engine believes that its leases last ten times as long as they do. */
    static SimulationSabotage longLeases() {
        return ofStorage(
                "acquire",
                process -> (storage, arguments) -> storage.acquire(
                        (WorkerId) arguments[0],
                        ((Collection<?>) arguments[1])
                                .stream().map(PartitionClaim.class::cast).toList(),
                        ((Duration) arguments[2]).dividedBy(10)));
    }

    /** The engine stops where the error handler wants it to try again. */
    static SimulationSabotage retriesAreStops() {
        return new SimulationSabotage() {
            @Override
            public SubscriberOptions options(SubscriberOptions options) {
                ErrorHandler handler = options.errorHandler();
                return options.toBuilder()
                        .errorHandler(failure -> {
                            ErrorDecision decision = handler.onFailure(failure);
                            return decision instanceof ErrorDecision.Retry ? new ErrorDecision.Stop() : decision;
                        })
                        .build();
            }
        };
    }

    /** Keys that were parked are forgotten by the next process. */
    static SimulationSabotage forgottenKeys() {
        return new SimulationSabotage() {
            @Override
            public SubscriberOptions options(SubscriberOptions options) {
                DeadLetterSink sink = options.deadLetterSink().orElseThrow();
                return options.toBuilder()
                        .deadLetterSink(new DeadLetterSink() {
                            @Override
                            public void accept(DeadLetter letter) throws Exception {
                                sink.accept(letter);
                            }

                            @Override
                            public Set<RecordKey> parkedKeys() {
                                return Set.of();
                            }
                        })
                        .build();
            }
        };
    }
}
