package dev.spream.cli.command;

import dev.spream.api.spi.ConfigType;
import java.time.Duration;
import picocli.CommandLine.TypeConversionException;

/** Parses a duration argument, and formats durations in the same form. */
public final class DurationArgument {
    private static final ConfigType<Duration> TYPE = ConfigType.duration(Duration.ZERO, Duration.ofDays(36_500));

    private DurationArgument() {}

    public static Duration parse(String text) {
        try {
            return TYPE.read(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'%s' is not a duration: write 500ms, 10s, 5m or 2h".formatted(text));
        }
    }

    public static String format(Duration duration) {
        return TYPE.write(duration);
    }
}
