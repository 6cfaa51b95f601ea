package dev.spream.cli.deadletter;

import dev.spream.api.ConfiguredDeadLetters;
import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.command.ConfigArguments;
import dev.spream.cli.command.Subcommand;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.RecordIdentity;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows a dead letter with all its content. */
@Command(
        name = "show",
        description = "Shows an open dead letter as JSON: the whole change, with the content of rows, and the error.")
final class DeadLettersShowCommand extends Subcommand {
    @Mixin
    private final ConfigArguments arguments = new ConfigArguments();

    @Parameters(paramLabel = "IDENTITY", description = "Dead letter, as list shows it.")
    private @Nullable RecordIdentity identity;

    @Override
    public Integer call() throws Exception {
        try (ConfiguredDeadLetters configured = ConfiguredDeadLetters.open(arguments.config())) {
            List<StoredDeadLetter> letters =
                    configured.letters().read(identity == null ? List.of() : List.of(identity));
            if (letters.isEmpty()) {
                throw new CommandFailure("no letter of %s is open".formatted(identity));
            }
            print(letters.getFirst().toJson());
            return ExitCode.OK;
        }
    }
}
