package dev.spream.cli.panel;

import dev.spream.cli.command.CauseConverter;
import dev.spream.core.consume.ReplayResult;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/** The combined results of one or more replay calls. */
public record ReplayReport(List<ReplayResult> results) {

    /** Returns the reasons why letters were not replayed, a line each. */
    public List<String> problems() {
        Stream<String> refused = results.stream()
                .flatMap(result -> result.refused().stream())
                .map(refusal -> "refused %s: %s".formatted(refusal.identity(), CauseConverter.text(refusal.cause())));
        Stream<String> overtaken = results.stream()
                .flatMap(result -> result.overtaken().stream())
                .map(
                        "overtaken %s: a later change of its key was delivered, and a sink that overwrites rows would undo it; --even-if-overtaken replays it"
                                ::formatted);
        return Stream.concat(refused, overtaken).toList();
    }

    public boolean isComplete() {
        return results.stream().allMatch(ReplayResult::isComplete);
    }

    @Override
    public String toString() {
        int released = sum(result -> result.released().size());
        return "replayed %d, refused %d, overtaken %d, left %d that follow others or are being replayed elsewhere; released %d %s"
                .formatted(
                        sum(ReplayResult::replayed),
                        sum(result -> result.refused().size()),
                        sum(result -> result.overtaken().size()),
                        sum(ReplayResult::left),
                        released,
                        released == 1 ? "key" : "keys");
    }

    private int sum(ToIntFunction<ReplayResult> count) {
        return results.stream().mapToInt(count).sum();
    }
}
