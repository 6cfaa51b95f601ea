package dev.spream.cli.command;

import dev.spream.api.HttpAddress;
import dev.spream.api.StreamTime;
import dev.spream.core.record.RecordIdentity;
import dev.spream.outbox.ReasonCode;
import dev.spream.storage.spanner.DatabaseName;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** Converts arguments to types of the cores and the API. */
public final class Converters {
    private Converters() {}

    /** Registers the converters with the command line and its subcommands; returns it. */
    public static CommandLine register(CommandLine command) {
        return command.registerConverter(StreamTime.class, Converters::time)
                .registerConverter(Duration.class, DurationArgument::parse)
                .registerConverter(RecordIdentity.class, Converters::identity)
                .registerConverter(
                        HttpAddress.class, text -> read(HttpAddress::parse, text, "'%s' is not a listen address: %s"))
                .registerConverter(DatabaseName.class, text -> read(DatabaseName::parse, text, "%2$s"))
                .registerConverter(ReasonCode.class, text -> read(ReasonCode::new, text, "%2$s"));
    }

    static StreamTime time(String text) {
        return read(StreamTime::parse, text, "'%s' is not a time: %s");
    }

    /** @param problem the message, formatted with the text and the message of the failure */
    private static <T> T read(Function<String, T> reading, String text, String problem) {
        try {
            return reading.apply(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(problem.formatted(text, e.getMessage()));
        }
    }

    private static RecordIdentity identity(String text) {
        String[] parts = text.split("/", -1);
        try {
            if (parts.length == 3 && !parts[1].isEmpty() && !parts[2].isEmpty()) {
                return new RecordIdentity(Instant.parse(parts[0]), parts[1], parts[2]);
            }
        } catch (DateTimeException e) {
            throw malformed(text);
        }
        throw malformed(text);
    }

    private static TypeConversionException malformed(String text) {
        return new TypeConversionException(
                "'%s' is not the identity of a change: expected COMMIT_TIMESTAMP/TRANSACTION/SEQUENCE, as deadletters list shows it"
                        .formatted(text));
    }
}
