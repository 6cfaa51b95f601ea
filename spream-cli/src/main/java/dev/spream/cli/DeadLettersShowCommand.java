package dev.spream.cli;

import dev.spream.api.DeadLetterDesk;
import dev.spream.core.consume.StoredLetter;
import dev.spream.core.record.RecordIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Shows all of a letter. */
@Command(
        name = "show",
        description = "Shows an open letter as JSON: the whole change, with what rows held, and the error.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class DeadLettersShowCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final DeskArguments arguments = new DeskArguments();

    @Parameters(paramLabel = "IDENTITY", description = "The change, as list shows it.")
    private @Nullable RecordIdentity identity;

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        try (DeadLetterDesk desk = arguments.open(others)) {
            List<StoredLetter> letters = desk.letters().read(identity == null ? List.of() : List.of(identity));
            if (letters.isEmpty()) {
                throw new CommandFailure("no letter of %s is open".formatted(identity));
            }
            spec.commandLine().getOut().println(letters.getFirst().toJson());
            spec.commandLine().getOut().flush();
            return ExitCode.OK;
        }
    }
}
