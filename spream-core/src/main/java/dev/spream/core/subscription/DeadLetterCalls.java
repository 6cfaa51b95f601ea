package dev.spream.core.subscription;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.inflight.InflightRecord;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.reading.UnreadableKeys;
import dev.spream.core.subscription.transaction.OpenTransaction;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls of the engine to the dead letter sink of one subscription. Safe for use by many threads. */
final class DeadLetterCalls {
    private static final Logger log = LoggerFactory.getLogger(DeadLetterCalls.class);

    private final EngineContext context;
    private final ParkedKeys parkedKeys;
    private final AtomicInteger reportedSpread = new AtomicInteger(); // the number of parked keys at the last report

    DeadLetterCalls(EngineContext context, ParkedKeys parkedKeys) {
        this.context = context;
        this.parkedKeys = parkedKeys;
    }

    /**
     * Returns whether one of the record's keys was parked, even if it was released since; also true if its keys cannot
     * be read while others are parked.
     */
    boolean mayBeParked(InflightRecord record) {
        if (parkedKeys.isEmpty()) {
            return false;
        }
        boolean keepsUnreadable = context.options().decodingFailure() == DecodingFailure.DEAD_LETTER;
        return (keepsUnreadable && UnreadableKeys.of(record.change()).isPresent())
                || parkedKeys.containsAny(record.keys());
    }

    /**
     * Dead-letters a record that follows parked keys; without keys if they cannot be read.
     *
     * @return false if the keys were released: the record is to be delivered
     */
    boolean keepBehindParked(HeldPartition partition, InflightRecord record) throws InterruptedException {
        Optional<UnreadableKeys> unreadable = UnreadableKeys.of(record.change());
        if (unreadable.isPresent()) {
            Instant now = context.time().instant();
            keep(
                    DeadLetter.Reason.FAILED,
                    new DeliveryFailure(
                            partition.token(),
                            unreadable.get().standIn(),
                            1,
                            now,
                            now,
                            unreadable.get().failure()));
            return true;
        }
        DeadLetter letter = new DeadLetter(
                DeadLetter.Reason.BEHIND_PARKED,
                partition.token(),
                record.change(),
                context.time().instant(),
                Optional.empty());
        DeadLetterSink sink = sink(letter);
        boolean kept = calling(letter.partition(), letter.change(), () -> sink.acceptIfParked(letter));
        if (kept) {
            parkTied(partition, record); // including its other keys: later changes of them must not overtake it
        } else {
            parkedKeys.release(record.keys());
        }
        return kept;
    }

    /** The part of a transaction that was dead-lettered. */
    enum Kept {
        /** It has no parked key, and is to be delivered. */
        NONE,
        /** Its leases were lost before all of it was. */
        SOME,
        ALL
    }

    /**
     * Dead-letters a transaction that has a parked key, and parks all its keys.
     *
     * @param isHeld whether the leases of its partitions last, which is checked before each letter
     */
    Kept keepBehindParked(OpenTransaction transaction, BooleanSupplier isHeld) throws InterruptedException {
        if (parkedKeys.isEmpty()) {
            return Kept.NONE;
        }
        int first = 0;
        while (first < transaction.size() && isHeld.getAsBoolean() && !isKeptBehindParked(transaction, first)) {
            first++;
        }
        if (first == transaction.size()) {
            return Kept.NONE;
        }
        for (int i = 0; i < transaction.size(); i++) {
            if (!isHeld.getAsBoolean()) {
                return Kept.SOME;
            }
            if (i != first) {
                DeadLetter letter = behindParked(transaction, i);
                DeadLetterSink sink = sink(letter);
                calling(letter.partition(), letter.change(), () -> {
                    sink.accept(letter);
                    return true;
                });
            }
        }
        int tied = park(transaction.changes());
        reportSpread(transaction.parts().getFirst().source().partition(), transaction.first(), tied);
        return Kept.ALL;
    }

    private boolean isKeptBehindParked(OpenTransaction transaction, int index) throws InterruptedException {
        DeadLetter letter = behindParked(transaction, index);
        Set<RecordKey> keys = RecordKey.of(letter.change());
        if (!parkedKeys.containsAny(keys)) {
            return false;
        }
        DeadLetterSink sink = sink(letter);
        boolean kept = calling(letter.partition(), letter.change(), () -> sink.acceptIfParked(letter));
        if (!kept) {
            parkedKeys.release(keys);
        }
        return kept;
    }

    private DeadLetter behindParked(OpenTransaction transaction, int index) {
        return new DeadLetter(
                DeadLetter.Reason.BEHIND_PARKED,
                transaction.parts().get(index).source().partition().token(),
                transaction.changes().get(index),
                context.time().instant(),
                Optional.empty());
    }

    /** Parks the keys of changes that the sink has; returns the number of those that were new. */
    int park(List<DataChangeRecord> changes) {
        return changes.stream()
                .mapToInt(change -> parkedKeys.park(RecordKey.of(change)))
                .sum();
    }

    private void parkTied(HeldPartition partition, InflightRecord record) {
        reportSpread(partition, record.change(), parkedKeys.park(record.keys()));
    }

    /** @param tied the number of keys that the change has parked */
    private void reportSpread(HeldPartition partition, DataChangeRecord change, int tied) {
        int parked = parkedKeys.size();
        int reported = reportedSpread.get();
        if (tied > 0 && parked >= 2 * reported && reportedSpread.compareAndSet(reported, parked)) {
            log.warn(
                    "[{}] parking spreads to other keys: the change {} has a parked key and other keys, {} of which are now parked as well; {} keys are parked in all. Each transaction that writes several rows of a table can spread it further. Fix the cause of the consumer's failures and replay all dead letters, which releases the keys. This is logged again when twice as many keys are parked",
                    context.label(partition.token()),
                    change.identity(),
                    tied,
                    parked);
        }
    }

    /** Dead-letters a change on which the consumer failed, and parks its keys. */
    void park(InflightRecord record, DeliveryFailure failure) throws InterruptedException {
        keep(DeadLetter.Reason.PARKED, failure);
        parkedKeys.park(record.keys());
    }

    /** Dead-letters a change on which the consumer failed and whose keys cannot be read, as received. */
    void keepUnreadable(UnreadableKeys unreadable, DeliveryFailure failure) throws InterruptedException {
        UndecodableRowException cause = unreadable.failure();
        cause.addSuppressed(failure.cause());
        keep(
                DeadLetter.Reason.FAILED,
                new DeliveryFailure(
                        failure.partition(),
                        unreadable.standIn(),
                        failure.attempt(),
                        failure.counted(),
                        failure.firstFailureAt(),
                        failure.failedAt(),
                        cause));
    }

    void keep(DeadLetter.Reason reason, DeliveryFailure failure) throws InterruptedException {
        DeadLetter letter =
                new DeadLetter(reason, failure.partition(), failure.change(), failure.failedAt(), Optional.of(failure));
        DeadLetterSink sink = sink(letter);
        calling(letter.partition(), letter.change(), () -> {
            sink.accept(letter);
            return true;
        });
    }

    /**
     * Reports to the sink that a change overtakes the open letters of its keys, and waits while one of them is
     * replayed. The lease may end meanwhile.
     */
    void delivering(HeldPartition partition, DataChangeRecord change) throws InterruptedException {
        if (context.options().deadLetterSink().orElse(null) instanceof DeadLetterStore store
                && (context.options().effectiveOrdering() == Ordering.KEY
                        || UnreadableKeys.of(change).isEmpty())) {
            calling(partition.token(), change, () -> {
                store.delivering(change);
                return true;
            });
        }
    }

    private DeadLetterSink sink(DeadLetter letter) {
        return context.options()
                .deadLetterSink()
                .orElseThrow(() -> new SubscriptionException(
                        "[%s] the error handler decided to dead-letter %s, and no dead letter sink is configured; the subscription stops, and the change is delivered again after a restart"
                                .formatted(
                                        context.label(letter.partition()),
                                        letter.change().identity()),
                        letter.failure().map(DeliveryFailure::cause).orElse(null)));
    }

    private boolean calling(PartitionToken partition, DataChangeRecord change, Callable<Boolean> call)
            throws InterruptedException {
        try {
            return context.userCalls().call("the dead letter sink", call);
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable t) {
            throw new ConsumerException(
                    "[%s] the dead letter sink failed on %s; the subscription stops, and the change is delivered again after a restart"
                            .formatted(context.label(partition), change.identity()),
                    t);
        }
    }
}
