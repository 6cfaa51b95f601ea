package dev.spream.cli.deadletter;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.api.ConfiguredDeadLetters;
import dev.spream.cli.command.ConfigArguments;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.panel.RemainingLetters;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Releases parked keys that have no open dead letter. */
@Command(
        name = "release",
        description =
                "Releases parked keys that have no open dead letter: changes of these keys that arrive from now on are delivered.",
        footer = {
            "",
            "A replay releases the keys that have no open dead letter left; use this for keys whose dead letters"
                    + " were discarded."
        })
final class DeadLettersReleaseCommand extends Subcommand {
    @Mixin
    private final ConfigArguments arguments = new ConfigArguments();

    @Mixin
    private final KeyArguments keys = new KeyArguments();

    @Option(names = "--all", description = "All parked keys that have no open dead letter.")
    private boolean all;

    @Override
    public Integer call() throws Exception {
        require(all != keys.isGiven(), "keys are missing: add --key, with or without --table, or --table, or --all");
        try (ConfiguredDeadLetters configured = ConfiguredDeadLetters.open(arguments.config())) {
            DeadLetterStore store = configured.letters();
            List<RecordKey> chosen = store.parkedKeys().stream()
                    .filter(keys::matches)
                    .sorted(Comparator.comparing(RecordKey::tableName).thenComparing(KeyText::of))
                    .toList();
            if (chosen.isEmpty() && keys.isGiven()) {
                report("skipped %s: it is not parked", keys);
            }
            int released = 0;
            for (RecordKey key : chosen) {
                if (store.release(Set.of(key))) {
                    released++;
                } else {
                    report(
                            "skipped %s: it has open dead letters, replay or discard them first",
                            KeyText.of(Set.of(key)));
                }
            }
            report("release: released %d; %s", released, RemainingLetters.of(store));
            return released == chosen.size() && (all || released > 0) ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }
}
