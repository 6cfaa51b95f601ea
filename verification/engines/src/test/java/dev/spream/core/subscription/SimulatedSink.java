package dev.spream.core.subscription;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.RecordKey;
import java.util.Set;

/** The dead letters as one process sees them. */
final class SimulatedSink implements DeadLetterSink {
    private final SimulatedDeadLetters letters;
    private final SimulatedPorts ports;
    private final SimulationJudge judge;

    SimulatedSink(SimulatedDeadLetters letters, SimulatedPorts ports, SimulationJudge judge) {
        this.letters = letters;
        this.ports = ports;
        this.judge = judge;
    }

    @Override
    public void accept(DeadLetter letter) {
        judge.deadLettering(ports.process, letter);
        ports.pass("dead letter %s %s", letter.reason(), SimulationJudge.describe(letter.change()));
        ports.delay();
        if (ports.strikes(ports.trouble.sinkFailure, SimulationEvent.SINK_FAILED)) {
            throw new SimulatedFailure("the dead letter sink is full");
        }
        judge.deadLettered(ports.process, letter);
        letters.add(letter);
        if (letter.reason() == DeadLetter.Reason.BEHIND_PARKED) {
            ports.count(SimulationEvent.BEHIND_PARKED);
        }
        ports.pass("dead letter %s is kept", SimulationJudge.describe(letter.change()));
    }

    @Override
    public Set<RecordKey> parkedKeys() {
        ports.pass("parked keys");
        ports.delay();
        return letters.parkedKeys();
    }
}
