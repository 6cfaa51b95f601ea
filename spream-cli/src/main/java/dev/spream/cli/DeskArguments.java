package dev.spream.cli;

import dev.spream.api.DeadLetterDesk;
import java.util.List;
import picocli.CommandLine.Mixin;

/** The flags of commands that work with the dead letters of a configured subscription. */
final class DeskArguments {
    @Mixin
    private final Verbosity verbosity = new Verbosity();

    @Mixin
    private final ConfigArguments config = new ConfigArguments();

    /**
     * Opens what the configuration says; the caller closes it.
     *
     * @param others the arguments that are none of the command's own
     */
    DeadLetterDesk open(List<String> others) {
        verbosity.apply();
        return DeadLetterDesk.open(config.config(others));
    }
}
