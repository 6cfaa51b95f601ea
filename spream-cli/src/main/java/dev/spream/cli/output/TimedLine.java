package dev.spream.cli.output;

import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Lines of a long-running command, with a timestamp as in the log. */
public final class TimedLine {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

    private TimedLine() {}

    public static String of(String line) {
        return TIME.format(LocalTime.now(ZoneId.systemDefault())) + " " + line;
    }
}
