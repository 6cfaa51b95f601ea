package dev.spream.cli.panel;

import dev.spream.cli.command.CauseConverter;
import dev.spream.core.consume.ReplayResult;
import java.util.List;
import java.util.stream.Stream;

/** The texts of the result of a replay. */
public record ReplayReport(ReplayResult result) {

    /** Returns the reasons why letters were not replayed, a line each. */
    public List<String> problems() {
        Stream<String> refused = result.refused().stream()
                .map(refusal -> "refused %s: %s".formatted(refusal.identity(), CauseConverter.text(refusal.cause())));
        Stream<String> overtaken = result.overtaken().stream()
                .map(
                        "overtaken %s: a later change of its key was delivered, and a sink that overwrites rows would undo it; --even-if-overtaken replays it"
                                ::formatted);
        return Stream.concat(refused, overtaken).toList();
    }

    public boolean isComplete() {
        return result.isComplete();
    }

    @Override
    public String toString() {
        int released = result.released().size();
        return "replayed %d, refused %d, overtaken %d, left %d that follow others or are being replayed elsewhere; released %d %s"
                .formatted(
                        result.replayed(),
                        result.refused().size(),
                        result.overtaken().size(),
                        result.left(),
                        released,
                        released == 1 ? "key" : "keys");
    }
}
