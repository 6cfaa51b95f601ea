package dev.spream.core.subscription;

import java.util.ArrayList;
import java.util.List;

/** The log of a simulated history: every call of a port, with its time. Kept only where it is wanted. */
final class SimulationHistory {
    private final boolean recording;
    private final List<String> lines = new ArrayList<>();

    SimulationHistory(boolean recording) {
        this.recording = recording;
    }

    void log(SimulatedProcess process, String format, Object... arguments) {
        if (recording) {
            lines.add("%s %-9s %s".formatted(process.trueTime(), process, format.formatted(arguments)));
        }
    }

    void note(Object line) {
        if (recording) {
            lines.add(line.toString());
        }
    }

    List<String> lines() {
        return lines;
    }
}
