package dev.spream.cli;

import ch.qos.logback.classic.pattern.ThrowableHandlingConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import dev.spream.core.SpreamException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Shows the exception of a log line in one line, behind what the line says. Used by logback.xml. */
public final class CauseConverter extends ThrowableHandlingConverter {
    @Override
    public String convert(ILoggingEvent event) {
        IThrowableProxy thrown = event.getThrowableProxy();
        return thrown == null ? "" : ": " + text(thrown.getClassName(), thrown.getMessage());
    }

    /** What an exception says; its class as well where the message alone would not do. */
    static String text(Throwable thrown) {
        return thrown instanceof SpreamException || thrown.getClass() == IOException.class
                ? Failures.oneLine(String.valueOf(thrown.getMessage()))
                : text(thrown.getClass().getName(), thrown.getMessage());
    }

    private static String text(String className, @Nullable String message) {
        String name = className.substring(className.lastIndexOf('.') + 1);
        return message == null ? name : "%s: %s".formatted(name, Failures.oneLine(message));
    }
}
