package dev.spream.cli.command;

import ch.qos.logback.classic.pattern.ThrowableHandlingConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import dev.spream.core.LoggedFailure;
import dev.spream.core.SpreamException;
import java.io.IOException;

/** Formats the exception of a log line on the same line. Used by logback.xml. */
public final class CauseConverter extends ThrowableHandlingConverter {
    @Override
    public String convert(ILoggingEvent event) {
        return event.getThrowableProxy() instanceof ThrowableProxy thrown ? ": " + named(thrown.getThrowable()) : "";
    }

    /** Returns the message of an exception, with its class if the message alone is insufficient. */
    public static String text(Throwable thrown) {
        return thrown instanceof SpreamException || thrown.getClass() == IOException.class
                ? Failures.oneLine(LoggedFailure.message(thrown))
                : named(thrown);
    }

    private static String named(Throwable thrown) {
        return Failures.oneLine(LoggedFailure.brief(thrown));
    }
}
