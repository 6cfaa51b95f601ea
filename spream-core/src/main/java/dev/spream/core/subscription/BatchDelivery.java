package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.SubscriptionListener.Outcome;
import dev.spream.core.subscription.inflight.InflightRecord;
import dev.spream.core.subscription.lease.HeldPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes several changes of one partition through a batch consumer in one call. Changes that the call did not settle
 * are treated one by one: a failed change goes to the error handler; later changes of its lanes are delivered again
 * after it; if the call threw, so that the failed change is unknown, each is delivered again alone, so that one bad
 * change fails by itself.
 */
record BatchDelivery(
        EngineContext context,
        BatchConsumer consumer,
        ConsumerCalls calls,
        DeadLetterCalls deadLetters,
        AttemptLog attempts) {

    /**
     * Delivers records, in this order. Those not settled afterwards were put back, passed on to the error handler, or
     * left.
     */
    void deliver(HeldPartition partition, List<InflightRecord> records, DeliveryControl control)
            throws InterruptedException {
        List<InflightRecord> untilParked = untilParked(records);
        for (int i = untilParked.size(); i < records.size(); i++) {
            control.putBack(records.get(i), i == untilParked.size());
        }
        for (InflightRecord record : untilParked) {
            deadLetters.delivering(partition, record.change());
        }
        if (untilParked.isEmpty() || control.isStopping() || !partition.isHeld()) {
            return;
        }
        OpenBatch batch = new OpenBatch(partition, untilParked, control);
        Throwable thrown = calls.call(partition.token(), untilParked.getFirst().change(), deadline -> {
            batch.handOver(deadline);
            consumer.consume(batch);
        });
        batch.close();
        if (thrown == null) {
            batch.settleHandled();
        } else if (!control.isCancelled()) {
            Thread.interrupted(); // an interrupt left by user code must not hit the next call
            batch.splitUp(thrown);
        }
    }

    /**
     * Returns the records before the first parked one, which is dead-lettered alone once those before it are settled.
     */
    private List<InflightRecord> untilParked(List<InflightRecord> records) {
        for (int i = 0; i < records.size(); i++) {
            if (deadLetters.mayBeParked(records.get(i))) {
                return records.subList(0, i);
            }
        }
        return records;
    }

    private enum State {
        OPEN,
        SETTLED,
        FAILED
    }

    /** The batch of one call. Used by one thread at a time during the call, as its contract requires. */
    private final class OpenBatch implements BatchConsumer.Batch {
        private final HeldPartition partition;
        private final List<InflightRecord> records;
        private final DeliveryControl control;
        private final List<DataChangeRecord> changes;
        private final State[] states;
        private final @Nullable Throwable[] causes;
        private final List<Delivery> given = new ArrayList<>();
        private final long startedAt = context.time().nanoTime();
        private boolean closed;

        OpenBatch(HeldPartition partition, List<InflightRecord> records, DeliveryControl control) {
            this.partition = partition;
            this.records = records;
            this.control = control;
            this.changes = records.stream().map(InflightRecord::change).toList();
            this.states = new State[records.size()];
            this.causes = new Throwable[records.size()];
            Arrays.fill(states, State.OPEN);
        }

        void handOver(Optional<Instant> deadline) {
            for (InflightRecord record : records) {
                int attempt = record.nextAttempt();
                given.add(calls.delivery(partition, attempt, deadline));
                context.listener()
                        .publish(listener -> listener.delivering(partition.token(), record.change(), attempt));
            }
        }

        @Override
        public List<DataChangeRecord> changes() {
            return changes;
        }

        @Override
        public Delivery delivery(int index) {
            return given.get(index);
        }

        @Override
        public void settle(int index) {
            requireOpen();
            if (states[index] != State.SETTLED) {
                states[index] = State.SETTLED;
                settled(index);
                control.settle(records.get(index));
            }
        }

        @Override
        public void fail(int index, Throwable cause) {
            requireOpen();
            if (states[index] == State.SETTLED) {
                throw new IllegalStateException(
                        "change %d of the batch is settled; it cannot fail any more".formatted(index));
            }
            causes[index] = requireNonNull(cause, "cause");
            states[index] = State.FAILED;
        }

        private void requireOpen() {
            if (closed) {
                throw new IllegalStateException("the call that received this batch has ended");
            }
        }

        void close() {
            closed = true;
        }

        private void settled(int index) {
            Duration consumeTime = Duration.ofNanos(context.time().nanoTime() - startedAt);
            context.listener()
                    .publish(listener ->
                            listener.settled(partition.token(), changes.get(index), Outcome.CONSUMED, consumeTime));
        }

        /** Settles the records that did not fail, except those that must come after a failed one. */
        void settleHandled() {
            Set<Object> heldUp = new HashSet<>();
            for (int i = 0; i < states.length; i++) {
                InflightRecord record = records.get(i);
                boolean behindFailed = record.lanes().stream().anyMatch(heldUp::contains);
                switch (states[i]) {
                    case SETTLED -> {}
                    case FAILED -> {
                        heldUp.addAll(record.lanes());
                        if (behindFailed) {
                            comeAgain(record);
                        } else {
                            judge(i);
                        }
                    }
                    case OPEN -> {
                        if (behindFailed) {
                            heldUp.addAll(record.lanes());
                            comeAgain(record);
                        } else {
                            settled(i);
                            control.settle(record);
                        }
                    }
                }
            }
        }

        /** Handles a failure of the call as a whole: each unsettled record is delivered again alone. */
        void splitUp(Throwable thrown) {
            attempts.batchFailed(partition, records.size(), thrown);
            Set<Object> heldUp = new HashSet<>();
            for (int i = 0; i < states.length; i++) {
                InflightRecord record = records.get(i);
                if (states[i] == State.SETTLED) {
                    continue;
                }
                boolean behindUnsettled = record.lanes().stream().anyMatch(heldUp::contains);
                heldUp.addAll(record.lanes());
                if (states[i] == State.FAILED && !behindUnsettled) {
                    judge(i);
                } else {
                    control.putBack(record, true);
                }
            }
        }

        private void comeAgain(InflightRecord record) {
            record.notHandled();
            control.putBack(record, false);
        }

        private void judge(int index) {
            InflightRecord record = records.get(index);
            record.failed(requireNonNull(causes[index]));
            control.judge(record);
        }
    }
}
