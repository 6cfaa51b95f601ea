package dev.spream.cli;

import dev.spream.api.StreamTime;
import picocli.CommandLine.TypeConversionException;

/** Reads a point in time from a command line. */
final class TimeArgument {
    private TimeArgument() {}

    static StreamTime parse(String text) {
        try {
            return StreamTime.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'%s' is not a time: %s".formatted(text, e.getMessage()));
        }
    }
}
