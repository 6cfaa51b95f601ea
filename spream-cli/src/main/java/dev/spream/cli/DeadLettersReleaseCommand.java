package dev.spream.cli;

import dev.spream.api.DeadLetterDesk;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Releases keys that nothing waits behind. */
@Command(
        name = "release",
        description = "Releases parked keys without letters: changes of them are delivered again from now on.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footer = {
            "",
            "A replay releases the keys that it leaves no letters of; this is for keys whose letters were discarded."
        })
final class DeadLettersReleaseCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final DeskArguments arguments = new DeskArguments();

    @Mixin
    private final KeyArguments keys = new KeyArguments();

    @Option(names = "--all", description = "All keys that nothing waits behind.")
    private boolean all;

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        if (all == keys.isGiven()) {
            throw new ParameterException(
                    spec.commandLine(), "say which keys: --key, with or without --table, or --table, or --all");
        }
        try (DeadLetterDesk desk = arguments.open(others)) {
            DeadLetterStore store = desk.letters();
            PrintWriter err = spec.commandLine().getErr();
            List<RecordKey> chosen = store.parkedKeys().stream()
                    .filter(keys::matches)
                    .sorted(Comparator.comparing(RecordKey::tableName).thenComparing(KeyText::of))
                    .toList();
            if (chosen.isEmpty() && keys.isGiven()) {
                err.printf("left %s: no such key is parked%n", keys);
            }
            int released = 0;
            for (RecordKey key : chosen) {
                if (store.release(Set.of(key))) {
                    released++;
                } else {
                    err.printf(
                            "left %s: letters wait behind it, replay or discard them first%n", KeyText.of(Set.of(key)));
                }
            }
            err.printf("release: released %d; %s%n", released, LetterCounts.remaining(store));
            return released == chosen.size() && (all || released > 0) ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }
}
