package dev.spream.cli;

import dev.spream.core.record.RecordIdentity;
import java.time.DateTimeException;
import java.time.Instant;
import picocli.CommandLine.TypeConversionException;

/** The identity of a change as an argument. */
final class LetterName {
    private LetterName() {}

    static RecordIdentity parse(String text) {
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
