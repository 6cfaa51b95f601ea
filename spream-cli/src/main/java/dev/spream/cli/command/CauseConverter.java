package dev.spream.cli.command;

import ch.qos.logback.classic.pattern.ThrowableHandlingConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import dev.spream.core.LoggedFailure;
import dev.spream.core.SpreamException;
import java.io.IOException;

/** Shows the exception of a log line in one line, behind what the line says. Used by logback.xml. */
public final class CauseConverter extends ThrowableHandlingConverter {
    @Override
    public String convert(ILoggingEvent event) {
        return event.getThrowableProxy() instanceof ThrowableProxy thrown ? ": " + named(thrown.getThrowable()) : "";
    }

    /** What an exception says; its class as well where the message alone would not do. */
    public static String text(Throwable thrown) {
        return thrown instanceof SpreamException || thrown.getClass() == IOException.class
                ? Failures.oneLine(LoggedFailure.message(thrown))
                : named(thrown);
    }

    private static String named(Throwable thrown) {
        return Failures.oneLine(LoggedFailure.brief(thrown));
    }
}
