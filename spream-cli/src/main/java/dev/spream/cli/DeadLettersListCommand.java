package dev.spream.cli;

import dev.spream.api.DeadLetterDesk;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.StoredLetter;
import dev.spream.core.record.RecordIdentity;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Lists the open letters, without what rows held. */
@Command(
        name = "list",
        description = "Lists the open letters in commit order, without what rows held.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footer = {
            "",
            "Every key of the configuration is a flag too, as in --dead-letters.jdbc.url=..., with an equals sign."
        })
final class DeadLettersListCommand implements Callable<Integer> {
    /** As many changes as may be in memory. */
    private static final int AT_ONCE = 50;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final DeskArguments arguments = new DeskArguments();

    @Mixin
    private final KeyArguments keys = new KeyArguments();

    @Option(
            names = "--overtaken",
            description =
                    "Only letters that a later change of their key was delivered past: to replay one undoes that.")
    private boolean overtaken;

    @Option(names = "--json", description = "Print one object of JSON a line instead of text.")
    private boolean json;

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        try (DeadLetterDesk desk = arguments.open(others)) {
            DeadLetterStore store = desk.letters();
            List<DeadLetterStore.Entry> open = store.openLetters();
            List<DeadLetterStore.Entry> letters =
                    open.stream().filter(this::isChosen).toList();
            PrintWriter out = spec.commandLine().getOut();
            for (int i = 0; i < letters.size(); i += AT_ONCE) {
                print(store, letters.subList(i, Math.min(i + AT_ONCE, letters.size())), out);
            }
            out.flush();
            spec.commandLine().getErr().printf("deadletters: %s%n", summary(store, open, letters));
            return ExitCode.OK;
        }
    }

    /** A choice that nothing fits is not to look as if there were nothing. */
    private String summary(DeadLetterStore store, List<DeadLetterStore.Entry> open, List<DeadLetterStore.Entry> letters)
            throws Exception {
        if (letters.size() < open.size()) {
            return "%d shown, as chosen; of all, %s".formatted(letters.size(), LetterCounts.remaining(store));
        }
        return LetterCounts.remaining(store);
    }

    private boolean isChosen(DeadLetterStore.Entry letter) {
        return (!overtaken || letter.overtaken())
                && (!keys.isGiven() || letter.keys().stream().anyMatch(keys::matches));
    }

    /** Those that are still open. */
    private void print(DeadLetterStore store, List<DeadLetterStore.Entry> letters, PrintWriter out) throws Exception {
        Map<RecordIdentity, StoredLetter> stored =
                store.read(letters.stream().map(DeadLetterStore.Entry::identity).toList()).stream()
                        .collect(Collectors.toMap(letter -> letter.change().identity(), Function.identity()));
        for (DeadLetterStore.Entry entry : letters) {
            StoredLetter letter = stored.get(entry.identity());
            if (letter != null) {
                (json ? List.of(LetterLines.json(entry, letter)) : LetterLines.text(entry, letter))
                        .forEach(out::println);
            }
        }
    }
}
