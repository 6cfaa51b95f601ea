package dev.spream.core.subscription;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.Transaction;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.SubscriptionListener.Outcome;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.transaction.OpenTransaction;
import dev.spream.core.subscription.transaction.TransactionAssembler;
import dev.spream.core.subscription.transaction.TransactionBatch;
import dev.spream.core.subscription.transaction.TransactionControl;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The delivery of one transaction: through the consumer and, after failures, the decisions of the error handler, which hold
 * for the whole transaction, until it is settled or must be left. A consumer of batches gets a transaction as one batch; a
 * consumer of single changes gets them one after the other.
 */
record TransactionDelivery(
        EngineContext context, Consumer consumer, ConsumerCalls calls, DeadLetterCalls deadLetters, AttemptLog attempts)
        implements TransactionAssembler.Delivery {

    @Override
    public boolean deliver(OpenTransaction transaction, TransactionControl control) throws InterruptedException {
        int attempt = 0;
        int uncounted = 0;
        @Nullable Instant firstFailureAt = null;
        while (!control.isStopping() && control.isHeld()) {
            DeadLetterCalls.Kept kept = deadLetters.keepBehindParked(transaction, control::isHeld);
            if (kept == DeadLetterCalls.Kept.ALL) {
                settled(transaction, Outcome.DEAD_LETTERED, Duration.ZERO);
            }
            if (kept != DeadLetterCalls.Kept.NONE) {
                return kept == DeadLetterCalls.Kept.ALL;
            }
            if (context.options().deadLetterSink().isPresent()) {
                for (int i = 0; i < transaction.size(); i++) {
                    deadLetters.delivering(
                            partitionOf(transaction, i), transaction.changes().get(i));
                }
            }
            if (control.isStopping() || !control.isHeld()) {
                return false;
            }
            long startedAt = context.time().nanoTime();
            Throwable thrown = attempt(transaction, ++attempt);
            Duration consumeTime = Duration.ofNanos(context.time().nanoTime() - startedAt);
            if (thrown == null) {
                settled(transaction, Outcome.CONSUMED, consumeTime);
                return true;
            }
            Thread.interrupted(); // an interrupt left by user code must not hit the handler, the sink or a retry
            if (control.isCancelled() || !control.isHeld()) {
                return false;
            }
            Instant failedAt = context.time().instant();
            firstFailureAt = firstFailureAt == null ? failedAt : firstFailureAt;
            DeliveryFailure failure =
                    failure(transaction, 0, attempt, attempt - uncounted, firstFailureAt, failedAt, thrown);
            ErrorDecision decision = decide(failure);
            context.listener().publish(listener -> listener.deliveryFailed(failure, decision));
            if (!(decision instanceof ErrorDecision.Retry retry)) {
                return carryOut(decision, transaction, failure, control);
            }
            if (!retry.counted()) {
                uncounted++;
            }
            attempts.retried(failure, retry.delay());
            Thread.interrupted();
            control.pause(retry.delay());
        }
        return false;
    }

    private @Nullable Throwable attempt(OpenTransaction transaction, int attempt) {
        List<DataChangeRecord> changes = transaction.changes();
        for (int i = 0; i < changes.size(); i++) {
            DataChangeRecord change = changes.get(i);
            HeldPartition partition = partitionOf(transaction, i);
            context.listener().publish(listener -> listener.delivering(partition.token(), change, attempt));
        }
        return calls.call(partitionOf(transaction, 0).token(), transaction.first(), deadline -> {
            Transaction delivered = new Delivered(transaction, changes, attempt, deadline);
            switch (consumer) {
                case TransactionConsumer whole -> whole.consume(delivered);
                case BatchConsumer batches -> consume(delivered, batches);
                default -> {
                    for (int i = 0; i < changes.size(); i++) {
                        consumer.consume(changes.get(i), delivered.delivery(i));
                    }
                }
            }
        });
    }

    private static void consume(Transaction transaction, BatchConsumer batches) throws Exception {
        TransactionBatch batch = new TransactionBatch(transaction);
        batches.consume(batch);
        batch.rethrowFailure();
    }

    /** Returns whether the transaction is settled; otherwise a lease was lost, and it is left. */
    private boolean carryOut(
            ErrorDecision decision, OpenTransaction transaction, DeliveryFailure failure, TransactionControl control)
            throws InterruptedException {
        switch (decision) {
            case ErrorDecision.Retry retry -> throw new IllegalStateException(decision.toString());
            case ErrorDecision.Skip skip -> {
                attempts.skipped(failure);
                settled(transaction, Outcome.SKIPPED, Duration.ZERO);
            }
            case ErrorDecision.DeadLetter deadLetter -> {
                if (!keep(DeadLetter.Reason.FAILED, transaction, failure, control)) {
                    return false;
                }
                attempts.deadLettered(failure);
                settled(transaction, Outcome.DEAD_LETTERED, Duration.ZERO);
            }
            case ErrorDecision.ParkKey parkKey -> {
                if (!keep(DeadLetter.Reason.PARKED, transaction, failure, control)) {
                    return false;
                }
                deadLetters.park(transaction.changes());
                attempts.parked(failure);
                settled(transaction, Outcome.DEAD_LETTERED, Duration.ZERO);
            }
            case ErrorDecision.Stop stop -> throw stopped(failure);
        }
        return true;
    }

    /** Dead-letters each change; returns false if a lease was lost before all of them were. */
    private boolean keep(
            DeadLetter.Reason reason, OpenTransaction transaction, DeliveryFailure failure, TransactionControl control)
            throws InterruptedException {
        for (int i = 0; i < transaction.size(); i++) {
            if (!control.isHeld()) {
                return false;
            }
            deadLetters.keep(
                    reason,
                    failure(
                            transaction,
                            i,
                            failure.attempt(),
                            failure.counted(),
                            failure.firstFailureAt(),
                            failure.failedAt(),
                            failure.cause()));
        }
        return true;
    }

    private static DeliveryFailure failure(
            OpenTransaction transaction,
            int index,
            int attempt,
            int counted,
            Instant first,
            Instant failedAt,
            Throwable thrown) {
        return new DeliveryFailure(
                partitionOf(transaction, index).token(),
                transaction.changes().get(index),
                attempt,
                counted,
                first,
                failedAt,
                thrown);
    }

    private static HeldPartition partitionOf(OpenTransaction transaction, int index) {
        return transaction.parts().get(index).source().partition();
    }

    private void settled(OpenTransaction transaction, Outcome outcome, Duration consumeTime) {
        List<DataChangeRecord> changes = transaction.changes();
        for (int i = 0; i < changes.size(); i++) {
            DataChangeRecord change = changes.get(i);
            HeldPartition partition = partitionOf(transaction, i);
            context.listener().publish(listener -> listener.settled(partition.token(), change, outcome, consumeTime));
        }
        transaction
                .missing()
                .ifPresent(missing -> context.listener()
                        .publish(listener ->
                                listener.incompleteSettled(transaction.id(), transaction.commitTimestamp(), missing)));
    }

    private ErrorDecision decide(DeliveryFailure failure) {
        return calls.decide(
                failure,
                context.source().streamName(),
                "transaction " + failure.change().serverTransactionId());
    }

    private ConsumerException stopped(DeliveryFailure failure) {
        return new ConsumerException(
                "[%s] consumer failed on transaction %s of %s after %s; watermarks stay before it; the subscription stops, and it is delivered again after a restart"
                        .formatted(
                                context.source().streamName(),
                                failure.change().serverTransactionId(),
                                failure.change().commitTimestamp(),
                                AttemptLog.attempts(failure.attempt())),
                failure.cause());
    }

    /** A transaction as the consumer sees it. */
    private final class Delivered implements Transaction {
        private final OpenTransaction transaction;
        private final List<DataChangeRecord> changes;
        private final int attempt;
        private final Optional<Instant> deadline;

        Delivered(
                OpenTransaction transaction, List<DataChangeRecord> changes, int attempt, Optional<Instant> deadline) {
            this.transaction = transaction;
            this.changes = changes;
            this.attempt = attempt;
            this.deadline = deadline;
        }

        @Override
        public String serverTransactionId() {
            return transaction.id();
        }

        @Override
        public Instant commitTimestamp() {
            return transaction.commitTimestamp();
        }

        @Override
        public String transactionTag() {
            return transaction.first().transactionTag();
        }

        @Override
        public boolean isSystemTransaction() {
            return transaction.first().isSystemTransaction();
        }

        @Override
        public boolean isComplete() {
            return transaction.missing().isEmpty();
        }

        @Override
        public List<DataChangeRecord> changes() {
            return changes;
        }

        @Override
        public Delivery delivery(int index) {
            return calls.delivery(partitionOf(transaction, index), attempt, deadline);
        }
    }
}
