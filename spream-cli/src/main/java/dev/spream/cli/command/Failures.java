package dev.spream.cli.command;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.Suggestion;
import dev.spream.cli.output.TimedLine;
import dev.spream.core.LoggedFailure;
import dev.spream.core.SpreamException;
import dev.spream.core.subscription.ConsumerException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints a failure as one line; {@code --verbose} adds the stack trace. */
public final class Failures implements IParameterExceptionHandler, IExecutionExceptionHandler {
    /** The part of Spanner's error messages that repeats the message over several lines. */
    private static final Pattern RESOURCE_INFO =
            Pattern.compile("\\s*resource_type: \".*?\"\\s*resource_name: \".*?\"(\\s*description: \".*?\")?\\s*");

    @Override
    public int handleParseException(ParameterException exception, String[] args) {
        CommandLine command = exception.getCommandLine();
        return usage(command, usageMessage(exception));
    }

    private static int usage(CommandLine command, String message) {
        String name = command.getCommandSpec().qualifiedName();
        command.getErr().printf("%s: %s (see %s --help)%n", name, oneLine(message), name);
        return ExitCode.USAGE;
    }

    @Override
    public int handleExecutionException(Exception exception, CommandLine command, ParseResult parsed) {
        if (exception instanceof UsageFailure || exception instanceof TypeConversionException) {
            return usage(command, String.valueOf(exception.getMessage()));
        }
        String name = command.getCommandSpec().qualifiedName();
        if (Verbosity.isVerbose()) {
            LoggedFailure.of(exception).printStackTrace(command.getErr());
        }
        if (exception instanceof ConfigException) {
            command.getErr().printf("%s: %s%n", name, exception.getMessage()); // one line for each problem
            return ExitCode.USAGE;
        }
        String line = "%s: %s".formatted(name, oneLine(failureMessage(exception)));
        boolean service = command.getCommandSpec().userObject() instanceof LongRunning;
        command.getErr().println(service ? TimedLine.of(line) : line);
        return ExitCode.SOFTWARE;
    }

    private static String usageMessage(ParameterException exception) {
        if (!(exception instanceof UnmatchedArgumentException unmatched)) {
            return String.valueOf(exception.getMessage());
        }
        String first = unmatched.getUnmatched().getFirst();
        CommandSpec command = exception.getCommandLine().getCommandSpec();
        boolean option = first.startsWith("-");
        String argument = option ? first.split("=", 2)[0] : first; // the value may be secret
        return "unknown %s '%s'%s"
                .formatted(
                        option ? "option" : "argument",
                        argument,
                        Suggestion.nearest(
                                        argument,
                                        option
                                                ? command.optionsMap().keySet()
                                                : command.subcommands().keySet())
                                .map("; did you mean '%s'?"::formatted)
                                .orElse(""));
    }

    private static String failureMessage(Exception exception) {
        String message =
                exception instanceof SpreamException ? LoggedFailure.message(exception) : exception.getMessage();
        if (exception instanceof ConsumerException && exception.getCause() != null) {
            return "%s; the sink said: %s".formatted(message, CauseConverter.text(exception.getCause()));
        }
        if (exception instanceof SpreamException || exception instanceof CommandFailure) {
            return withoutClass(String.valueOf(message), exception.getCause());
        }
        String shown = LoggedFailure.message(exception);
        return "%s%s; --verbose shows where"
                .formatted(exception.getClass().getSimpleName(), shown.isEmpty() ? "" : ": " + shown);
    }

    /** Removes the class names of spream's own exceptions, which some messages quote. */
    private static String withoutClass(String message, @Nullable Throwable cause) {
        return cause instanceof SpreamException
                ? message.replace(cause.toString(), String.valueOf(cause.getMessage()))
                : message;
    }

    public static String oneLine(String message) {
        return RESOURCE_INFO.matcher(message).replaceAll("").strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
