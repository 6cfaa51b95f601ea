package dev.spream.cli;

import dev.spream.cli.command.ConfigArguments;
import dev.spream.cli.command.Converters;
import dev.spream.cli.command.Failures;
import dev.spream.cli.subscription.TailCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** Runs the command line. Exit codes: 0 for success, 1 for a failure, 2 for invalid usage. */
public final class Main {
    private Main() {}

    /** Runs the command and exits the process, even if a client library leaves threads running. */
    public static void main(String[] args) {
        System.setErr(StruckStream.over(System.err));
        System.exit(run(args));
    }

    static int run(String... args) {
        return commandLine(args).execute(args);
    }

    static CommandLine commandLine(String... args) {
        Failures failures = new Failures();
        CommandLine command = SpreamCommand.commandLine(args);
        ConfigArguments.take(command);
        TailCommand.takeKeys(command);
        return Converters.register(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setAbbreviatedOptionsAllowed(false)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler(failures)
                .setExecutionExceptionHandler(failures)
                .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    }
}
