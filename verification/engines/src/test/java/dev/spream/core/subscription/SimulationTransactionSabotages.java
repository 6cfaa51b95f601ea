package dev.spream.core.subscription;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.Transaction;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.subscription.transaction.ChangeBuffer;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Ways to break the delivery of whole transactions and their order, one at a time. */
final class SimulationTransactionSabotages {
    private SimulationTransactionSabotages() {}

    private abstract static class OfMode implements SimulationSabotage {
        private final TransactionMode mode;

        OfMode(TransactionMode mode) {
            this.mode = mode;
        }

        @Override
        public Optional<TransactionMode> transactions() {
            return Optional.of(mode);
        }
    }

    /** Spoils each row that a cursor returns. */
    private static ChangeStreamSource rows(ChangeStreamSource source, UnaryOperator<ChangeRecord> spoiler) {
        return SimulationSabotages.spoil(
                ChangeStreamSource.class,
                source,
                "query",
                (target, arguments) -> SimulationSabotages.spoil(
                        ChangeStreamCursor.class,
                        target.query((PartitionQuery) arguments[0]),
                        "next",
                        (cursor, none) -> cursor.next().map(spoiler)));
    }

    private static DataChangeRecord with(DataChangeRecord change, int records, String tag) {
        return new DataChangeRecord(
                change.commitTimestamp(),
                change.recordSequence(),
                change.serverTransactionId(),
                change.isLastRecordInTransactionInPartition(),
                change.tableName(),
                change.columnTypes(),
                change.mods(),
                change.modTypeName(),
                change.valueCaptureTypeName(),
                records,
                change.numberOfPartitionsInTransaction(),
                tag,
                change.isSystemTransaction());
    }

    private abstract static class SpoiledTransactionConsumer implements TransactionConsumer {
        final Consumer target;

        SpoiledTransactionConsumer(Consumer target) {
            this.target = target;
        }

        @Override
        public void flush() throws Exception {
            target.flush();
        }
    }

    /** A transaction of which only some changes are given, by index. */
    private record Some(Transaction whole, List<Integer> indexes, UnaryOperator<DataChangeRecord> change)
            implements Transaction {

        static Some all(Transaction whole, UnaryOperator<DataChangeRecord> change) {
            return new Some(
                    whole, IntStream.range(0, whole.changes().size()).boxed().toList(), change);
        }

        @Override
        public String serverTransactionId() {
            return whole.serverTransactionId();
        }

        @Override
        public Instant commitTimestamp() {
            return whole.commitTimestamp();
        }

        @Override
        public String transactionTag() {
            return whole.transactionTag();
        }

        @Override
        public boolean isSystemTransaction() {
            return whole.isSystemTransaction();
        }

        @Override
        public boolean isComplete() {
            return whole.isComplete();
        }

        @Override
        public List<DataChangeRecord> changes() {
            return indexes.stream()
                    .map(index -> change.apply(whole.changes().get(index)))
                    .toList();
        }

        @Override
        public Delivery delivery(int index) {
            return whole.delivery(indexes.get(index));
        }
    }

    /** The number of a transaction's changes is not known to the engine: the first one seems to be all. */
    static SimulationSabotage deliveredBeforeComplete() {
        return new OfMode(TransactionMode.WHOLE) {
            @Override
            public ChangeStreamSource source(ChangeStreamSource source) {
                return rows(
                        source,
                        row -> row instanceof DataChangeRecord change
                                ? with(change, 1, Long.toString(change.numberOfRecordsInTransaction()))
                                : row);
            }

            @Override
            public Consumer consumer(Consumer consumer, SimulatedProcess process) {
                return consumer instanceof TransactionConsumer whole
                        ? new SpoiledTransactionConsumer(consumer) {
                            @Override
                            public void consume(Transaction transaction) throws Exception {
                                whole.consume(Some.all(
                                        transaction,
                                        change -> with(change, Integer.parseInt(change.transactionTag()), "")));
                            }
                        }
                        : consumer;
            }
        };
    }

    /** The earliest of the complete transactions is delivered, whatever partitions have been read up to it. */
    static SimulationSabotage lowWatermarkIgnored() {
        return new OfMode(TransactionMode.COMMIT_ORDER) {
            @Override
            public SubscriberOptions options(SubscriberOptions options) {
                return options.toBuilder()
                        .transactionMode(TransactionMode.WHOLE)
                        .ordering(Ordering.PARTITION)
                        .build();
            }
        };
    }

    /** The changes of a transaction are settled one by one. */
    static SimulationSabotage oneByOne() {
        return new OfMode(TransactionMode.WHOLE) {
            @Override
            public Consumer consumer(Consumer consumer, SimulatedProcess process) {
                return consumer instanceof TransactionConsumer whole
                        ? new SpoiledTransactionConsumer(consumer) {
                            @Override
                            public void consume(Transaction transaction) throws Exception {
                                for (int i = 0; i < transaction.changes().size(); i++) {
                                    whole.consume(new Some(transaction, List.of(i), UnaryOperator.identity()));
                                }
                            }
                        }
                        : consumer;
            }
        };
    }

    /** A transaction counts as settled before it is delivered. */
    static SimulationSabotage settledBeforeDelivery() {
        return new OfMode(TransactionMode.WHOLE) {
            @Override
            public Consumer consumer(Consumer consumer, SimulatedProcess process) {
                return consumer instanceof TransactionConsumer whole
                        ? new SpoiledTransactionConsumer(consumer) {
                            @Override
                            public void consume(Transaction transaction) {
                                process.start("late-consumer", () -> consumeAnyway(whole, transaction));
                            }
                        }
                        : consumer;
            }
        };
    }

    private static void consumeAnyway(TransactionConsumer consumer, Transaction transaction) {
        try {
            consumer.consume(transaction);
        } catch (SimulationViolation violation) {
            throw violation;
        } catch (Throwable ignored) { // no caller is left to be notified
            Thread.yield();
        }
    }

    /** A reader that finds no room waits, also where no other partition is behind it. */
    static SimulationSabotage lastOneWaits() {
        return new OfMode(TransactionMode.COMMIT_ORDER) {
            @Override
            public SubscriberOptions options(SubscriberOptions options) {
                return options.toBuilder().transactionBuffer(FullBuffer::new).build();
            }
        };
    }

    /** More memory is used than is configured. */
    static SimulationSabotage budgetIgnored() {
        return new OfMode(TransactionMode.COMMIT_ORDER) {
            @Override
            public SubscriberOptions options(SubscriberOptions options) {
                return options.toBuilder()
                        .maxBufferedBytes(64 * options.maxBufferedBytes())
                        .build();
            }
        };
    }

    /** A buffer without room, for which a reader waits. */
    private static final class FullBuffer implements ChangeBuffer {
        @Override
        public long add(DataChangeRecord change) {
            while (true) {
                LockSupport.park(this);
                if (Thread.interrupted()) {
                    Thread.yield();
                }
            }
        }

        @Override
        public DataChangeRecord read(long id) {
            throw new IllegalStateException("nothing is there");
        }

        @Override
        public void remove(Collection<Long> ids) {
            throw new IllegalStateException("nothing is there");
        }

        @Override
        public void close() {
            // Nothing is there.
        }
    }
}
