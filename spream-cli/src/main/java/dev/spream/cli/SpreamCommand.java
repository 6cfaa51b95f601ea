package dev.spream.cli;

import dev.spream.cli.command.CommandGroup;
import dev.spream.cli.dashboard.DashboardCommand;
import dev.spream.cli.deadletter.DeadLettersCommand;
import dev.spream.cli.lock.LocksCommand;
import dev.spream.cli.outbox.OutboxCommand;
import dev.spream.cli.partition.CleanupCommand;
import dev.spream.cli.partition.ExportCommand;
import dev.spream.cli.partition.PartitionsCommand;
import dev.spream.cli.partition.SubscriptionCommand;
import dev.spream.cli.partition.VerifyCommand;
import dev.spream.cli.projection.ProjectionCommand;
import dev.spream.cli.subscription.GraphCommand;
import dev.spream.cli.subscription.RunCommand;
import dev.spream.cli.subscription.TailCommand;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The top-level command, which prints its help. */
@Command(
        name = "spream",
        description = "Reads Cloud Spanner change streams.",
        exitCodeList = {"0:success, also when a signal ended it and all work was finished", "1:failure", "2:usage"},
        footer = {"", "Try: spream tail --demo"})
final class SpreamCommand extends CommandGroup {
    private static final List<Class<?>> SUBCOMMANDS = List.of(
            TailCommand.class,
            RunCommand.class,
            ConfigCommand.class,
            GraphCommand.class,
            PartitionsCommand.class,
            VerifyCommand.class,
            CleanupCommand.class,
            SubscriptionCommand.class,
            DeadLettersCommand.class,
            LocksCommand.class,
            OutboxCommand.class,
            ProjectionCommand.class,
            DashboardCommand.class,
            ExportCommand.class,
            EmulatorCommand.class,
            CompletionCommand.class);

    /**
     * Creates the command line with the subcommand named by the first argument, or else with all, which takes half a
     * second.
     */
    static CommandLine commandLine(String... arguments) {
        CommandLine command = new CommandLine(new SpreamCommand());
        List<Class<?>> named = SUBCOMMANDS.stream()
                .filter(type -> arguments.length > 0 && arguments[0].equals(name(type)))
                .toList();
        (named.isEmpty() ? SUBCOMMANDS : named).forEach(command::addSubcommand);
        return command;
    }

    private static String name(Class<?> subcommand) {
        return subcommand.getAnnotation(Command.class).name();
    }
}
