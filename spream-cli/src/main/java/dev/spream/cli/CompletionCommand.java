package dev.spream.cli;

import dev.spream.cli.command.Subcommand;
import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Parameters;

/** Prints a script by which a shell completes commands, options and their values. */
@Command(
        name = "completion",
        description = "Prints a script by which a shell completes commands, options and values.",
        footer = {
            "",
            "bash, in ~/.bashrc:  source <(/path/to/spream completion bash)",
            "zsh, in ~/.zshrc:    source <(/path/to/spream completion zsh)",
            "Starting the command takes a moment: write its output to a file, and source that instead."
        })
final class CompletionCommand extends Subcommand {
    /** The shells by their names on the command line; one script serves both. */
    enum Shell {
        BASH,
        ZSH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(index = "0", paramLabel = "SHELL", description = "bash or zsh.")
    @SuppressWarnings({"NullAway.Init", "UnusedVariable"}) // the script finds out where it runs
    private Shell shell;

    @Override
    public Integer call() {
        print(AutoComplete.bash("spream", Main.commandLine()).lines().toList());
        return ExitCode.OK;
    }
}
