package dev.spream.core.subscription;

import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.ErrorHandler;
import java.time.Duration;

/** Decides as drawn; mostly to try again. */
final class SimulatedErrorHandler implements ErrorHandler {
    private static final int MAX_ATTEMPTS = 12;

    private final SimulatedPorts ports;
    private final SimulationJudge judge;

    SimulatedErrorHandler(SimulatedPorts ports, SimulationJudge judge) {
        this.ports = ports;
        this.judge = judge;
    }

    @Override
    public ErrorDecision onFailure(DeliveryFailure failure) {
        judge.failed(ports.process, failure);
        if (ports.strikes(ports.trouble.handlerFailure, SimulationEvent.HANDLER_FAILED)) {
            throw new SimulatedFailure("the error handler fails");
        }
        ErrorDecision decision = decide(failure);
        ports.history.log(ports.process, "%s: %s", SimulationJudge.describe(failure.change()), decision);
        ports.count(
                switch (decision) {
                    case ErrorDecision.Retry retry -> SimulationEvent.RETRY;
                    case ErrorDecision.Skip skip -> SimulationEvent.SKIP;
                    case ErrorDecision.DeadLetter deadLetter -> SimulationEvent.DEAD_LETTER;
                    case ErrorDecision.ParkKey parkKey -> SimulationEvent.PARK_KEY;
                    case ErrorDecision.Stop stop -> SimulationEvent.STOP;
                });
        if (decision instanceof ErrorDecision.Skip) {
            judge.skipped(ports.process, failure);
        }
        return decision;
    }

    private ErrorDecision decide(DeliveryFailure failure) {
        SimulatedTrouble trouble = ports.trouble;
        if (trouble.strikes(trouble.stop)) {
            return new ErrorDecision.Stop();
        }
        int draw = trouble.random.nextInt(20);
        if (failure.attempt() < MAX_ATTEMPTS && draw < 14) {
            return new ErrorDecision.Retry(
                    draw < 4 ? Duration.ZERO : Duration.ofNanos(trouble.random.nextLong(3_000_000_000L)));
        }
        return switch (draw % 3) {
            case 0 -> new ErrorDecision.Skip();
            case 1 -> new ErrorDecision.DeadLetter();
            default -> new ErrorDecision.ParkKey();
        };
    }
}
