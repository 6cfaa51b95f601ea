package dev.spream.core.subscription;

import dev.spream.core.consume.MissingChanges;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import java.time.Duration;
import java.time.Instant;

/** Listens to one process for the judge. */
final class SimulatedListener implements SubscriptionListener {
    private final SimulatedPorts ports;
    private final SimulationJudge judge;

    SimulatedListener(SimulatedPorts ports, SimulationJudge judge) {
        this.ports = ports;
        this.judge = judge;
    }

    @Override
    public void delivering(PartitionToken partition, DataChangeRecord change, int attempt) {
        ports.pass(
                "delivering %s", SimulationJudge.describe(change)); // between the last look at the lease and the call
        ports.perhapsYield();
    }

    @Override
    public void childrenDiscovered(PartitionToken partition, ChildPartitionsRecord children) {
        ports.perhapsYield();
    }

    @Override
    public void settled(PartitionToken partition, DataChangeRecord change, Outcome outcome, Duration consumeTime) {
        ports.history.log(ports.process, "settled %s: %s", SimulationJudge.describe(change), outcome);
        judge.toldSettled(ports.process, partition, change);
        ports.perhapsYield();
    }

    @Override
    public void incompleteSettled(String serverTransactionId, Instant commitTimestamp, MissingChanges missing) {
        ports.history.log(ports.process, "settled %s without changes: %s", serverTransactionId, missing);
        judge.corrections.incomplete(serverTransactionId, commitTimestamp, missing);
    }

    @Override
    public void waitingForMoveIn(PartitionToken partition, MoveIn moveIn) {
        ports.history.log(ports.process, "%s waits for %s", partition, moveIn);
        ports.count(SimulationEvent.MOVE_IN_WAITED);
    }

    @Override
    public void moveInSettled(PartitionToken partition, MoveIn moveIn, Duration waited) {
        ports.history.log(ports.process, "%s waited %s for %s", partition, waited, moveIn);
        ports.count(SimulationEvent.MOVE_IN_SETTLED);
    }

    @Override
    public void leaseLost(PartitionToken partition, long epoch) {
        ports.history.log(ports.process, "lost %s, epoch %d", partition, epoch);
        ports.count(SimulationEvent.LEASE_LOST);
        judge.lost(ports.process, partition, epoch);
    }

    @Override
    public void consumeTimedOut(PartitionToken partition, DataChangeRecord change, Duration elapsed) {
        ports.history.log(ports.process, "timed out: %s", SimulationJudge.describe(change));
        ports.count(SimulationEvent.TIMED_OUT);
    }
}
