package dev.spream.cli.deadletter;

import dev.spream.api.ConfiguredDeadLetters;
import dev.spream.cli.command.ConfigArguments;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.panel.RemainingLetters;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.RecordIdentity;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the open dead letters, without the content of rows. */
@Command(
        name = "list",
        description = "Lists the open dead letters in commit order, without the content of rows.",
        footer = {
            "",
            "Every key of the configuration is a flag too, as in --dead-letters.jdbc.url=..., with an equals sign."
        })
final class DeadLettersListCommand extends Subcommand {
    /** The number of changes to hold in memory at a time. */
    private static final int AT_ONCE = 50;

    @Mixin
    private final ConfigArguments arguments = new ConfigArguments();

    @Mixin
    private final KeyArguments keys = new KeyArguments();

    @Option(
            names = "--overtaken",
            description =
                    "Only dead letters overtaken by a later change of their key; replaying one undoes that change.")
    private boolean overtaken;

    @Option(names = "--json", description = "Print one JSON object per line instead of text.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        try (ConfiguredDeadLetters configured = ConfiguredDeadLetters.open(arguments.config())) {
            DeadLetterStore store = configured.letters();
            List<DeadLetterStore.Entry> open = store.openLetters();
            List<DeadLetterStore.Entry> letters =
                    open.stream().filter(this::isChosen).toList();
            for (int i = 0; i < letters.size(); i += AT_ONCE) {
                print(store, letters.subList(i, Math.min(i + AT_ONCE, letters.size())));
            }
            report("deadletters: " + summary(store, open, letters));
            return ExitCode.OK;
        }
    }

    /** Returns the summary line, which also counts letters that the filters exclude. */
    private String summary(DeadLetterStore store, List<DeadLetterStore.Entry> open, List<DeadLetterStore.Entry> letters)
            throws Exception {
        if (letters.size() < open.size()) {
            return "%d shown by the filter; in total, %s".formatted(letters.size(), RemainingLetters.of(store));
        }
        return RemainingLetters.of(store);
    }

    private boolean isChosen(DeadLetterStore.Entry letter) {
        return (!overtaken || letter.overtaken())
                && (!keys.isGiven() || letter.keys().stream().anyMatch(keys::matches));
    }

    /** Prints the letters that are still open. */
    private void print(DeadLetterStore store, List<DeadLetterStore.Entry> letters) throws Exception {
        Map<RecordIdentity, StoredDeadLetter> stored =
                store.read(letters.stream().map(DeadLetterStore.Entry::identity).toList()).stream()
                        .collect(Collectors.toMap(letter -> letter.change().identity(), Function.identity()));
        for (DeadLetterStore.Entry entry : letters) {
            StoredDeadLetter letter = stored.get(entry.identity());
            if (letter != null) {
                print(json ? List.of(DeadLetterPrinter.json(entry, letter)) : DeadLetterPrinter.text(entry, letter));
            }
        }
    }
}
