package dev.spream.cli;

import dev.spream.api.HttpAddress;
import dev.spream.api.StreamTime;
import dev.spream.core.record.RecordIdentity;
import dev.spream.outbox.ReasonCode;
import dev.spream.storage.spanner.DatabaseName;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** Runs the command line: exit code 0 for success, 1 for a failure, 2 for a command that was not understood. */
public final class Main {
    private Main() {}

    /** Runs the command and ends the process, whatever threads a client library leaves behind. */
    public static void main(String[] args) {
        System.setErr(StruckStream.over(System.err));
        System.exit(run(args));
    }

    static int run(String... args) {
        return commandLine().execute(args);
    }

    private static DatabaseName databaseName(String text) {
        try {
            return DatabaseName.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    private static ReasonCode reasonCode(String text) {
        try {
            return new ReasonCode(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    static CommandLine commandLine() {
        Failures failures = new Failures();
        return new CommandLine(new SpreamCommand())
                .registerConverter(StreamTime.class, TimeArgument::parse)
                .registerConverter(Duration.class, DurationArgument::parse)
                .registerConverter(HttpAddress.class, HttpArgument::parse)
                .registerConverter(DatabaseName.class, Main::databaseName)
                .registerConverter(RecordIdentity.class, LetterName::parse)
                .registerConverter(EntryId.class, EntryId::parse)
                .registerConverter(ReasonCode.class, Main::reasonCode)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setAbbreviatedOptionsAllowed(false)
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler(failures)
                .setExecutionExceptionHandler(failures)
                .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
    }
}
