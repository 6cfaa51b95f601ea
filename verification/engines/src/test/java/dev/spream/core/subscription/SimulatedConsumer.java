package dev.spream.core.subscription;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.Transaction;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.record.DataChangeRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The possible behaviour of user code: delays, any exception, hangs until an interrupt or longer, settling or failing
 * single changes of a batch. Its effects are durable when {@code flush} returns, and not before.
 */
final class SimulatedConsumer {
    private static final long LONGEST_HANG = 40_000_000_000L;

    /** In which of the shapes of the port the consumer comes. */
    enum Shape {
        RECORD,
        DELIVERY,
        BATCH,
        TRANSACTION;

        private static final List<Shape> OF_CHANGES = List.of(RECORD, DELIVERY, BATCH);
        private static final List<Shape> OF_TRANSACTIONS = List.of(BATCH, TRANSACTION, TRANSACTION);

        static Shape draw(RandomGenerator random, TransactionMode mode) {
            List<Shape> shapes = mode == TransactionMode.OFF ? OF_CHANGES : OF_TRANSACTIONS;
            return shapes.get(random.nextInt(shapes.size()));
        }
    }

    private final SimulatedPorts ports;
    private final SimulationJudge judge;
    private final SimulatedTrouble trouble;

    SimulatedConsumer(SimulatedPorts ports, SimulationJudge judge) {
        this.ports = ports;
        this.judge = judge;
        this.trouble = ports.trouble;
    }

    Consumer shaped(Shape shape) {
        return switch (shape) {
            case RECORD ->
                new ChangeHandler() {
                    @Override
                    public void consume(DataChangeRecord change) throws Exception {
                        one(change, null);
                    }

                    @Override
                    public void flush() {
                        SimulatedConsumer.this.flush();
                    }
                };
            case DELIVERY ->
                new Consumer() {
                    @Override
                    public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
                        one(change, delivery);
                    }

                    @Override
                    public void flush() {
                        SimulatedConsumer.this.flush();
                    }
                };
            case BATCH ->
                new BatchConsumer() {
                    @Override
                    public void consume(Batch batch) throws Exception {
                        several(batch);
                    }

                    @Override
                    public void flush() {
                        SimulatedConsumer.this.flush();
                    }
                };
            case TRANSACTION ->
                new TransactionConsumer() {
                    @Override
                    public void consume(Transaction transaction) throws Exception {
                        whole(transaction);
                    }

                    @Override
                    public void flush() {
                        SimulatedConsumer.this.flush();
                    }
                };
        };
    }

    private void one(DataChangeRecord change, @Nullable Delivery delivery) throws Exception {
        JudgedCall call = judge.consumer.started(
                ports.process, List.of(change), delivery == null ? List.of() : List.of(delivery));
        try {
            ports.pass("consume %s", SimulationJudge.describe(change));
            behave();
            call.settle(0);
        } finally {
            call.ended();
            ports.pass("consume %s ends", SimulationJudge.describe(change));
        }
    }

    private void several(BatchConsumer.Batch batch) throws Exception {
        List<DataChangeRecord> changes = batch.changes();
        List<Delivery> deliveries = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            deliveries.add(batch.delivery(i));
        }
        JudgedCall call = judge.transactions.isOn()
                ? judge.transactions.started(ports.process, changes, deliveries, Optional.empty())
                : judge.consumer.started(ports.process, changes, deliveries);
        try {
            ports.pass("consume %s", SimulationJudge.describe(changes));
            for (int i = 0; i < changes.size(); i++) {
                handle(batch, i, call);
            }
            behave();
            call.settleRest();
        } finally {
            call.ended();
            ports.pass("consume of %d ends", changes.size());
        }
    }

    private void handle(BatchConsumer.Batch batch, int index, JudgedCall call) {
        if (ports.strikes(trouble.failInBatch, SimulationEvent.FAILED_IN_BATCH)) {
            ports.history.log(ports.process, "fails %d of the batch", index);
            batch.fail(index, new SimulatedFailure("failed in a batch"));
            call.fail(index);
        } else if (call.mayBeSettled(index) && trouble.random.nextInt(8) == 0) {
            ports.count(SimulationEvent.SETTLED_EARLY);
            ports.history.log(ports.process, "settles %d of the batch", index);
            call.settle(index);
            batch.settle(index);
        }
    }

    private void whole(Transaction transaction) throws Exception {
        List<DataChangeRecord> changes = List.copyOf(transaction.changes());
        List<Delivery> deliveries = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            deliveries.add(transaction.delivery(i));
        }
        JudgedCall call =
                judge.transactions.started(ports.process, changes, deliveries, Optional.of(transaction.isComplete()));
        String completeness = transaction.isComplete() ? "whole" : "incomplete";
        try {
            ports.pass("consume %s %s", completeness, SimulationJudge.describe(changes));
            behave();
            call.settleRest();
        } finally {
            call.ended();
            ports.pass("consume of transaction %s ends", transaction.serverTransactionId());
        }
    }

    private void behave() throws Exception {
        ports.delay();
        RandomGenerator random = trouble.random;
        if (ports.strikes(trouble.hang, SimulationEvent.HUNG)) {
            long nanos = random.nextLong(LONGEST_HANG);
            if (ports.strikes(trouble.ignoreInterrupt, SimulationEvent.IGNORED_INTERRUPT)) {
                ports.process.sleepUninterruptibly(nanos);
            } else {
                ports.process.sleep(nanos);
            }
            judge.shares.disturbed();
        }
        if (ports.strikes(trouble.consumerThrow, SimulationEvent.THROWN)) {
            String message = SimulatedFailure.message("the consumer throws");
            switch (random.nextInt(4)) {
                case 0 -> throw new Exception(message);
                case 1 -> throw new InterruptedException(message);
                case 2 -> throw new StackOverflowError(message);
                default -> throw new SimulatedFailure("the consumer throws");
            }
        }
    }

    private void flush() {
        ports.pass("flush");
        ports.count(SimulationEvent.FLUSH);
        List<SimulatedWorld.Change> covered = judge.flushStarted(ports.process);
        ports.delay();
        if (ports.strikes(trouble.flushFailure, SimulationEvent.FLUSH_FAILED)) {
            throw new SimulatedFailure("the consumer's flush fails");
        }
        judge.flushed(ports.process, covered);
        ports.pass("flush ends");
    }
}
