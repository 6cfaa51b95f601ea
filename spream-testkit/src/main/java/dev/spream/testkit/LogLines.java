package dev.spream.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The lines of a logger and of those below it, from the moment this is opened. Safe for use by many threads. */
public final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();
    private final Logger logger;
    private final @Nullable Level before;

    /** The lines of a class, from INFO up. */
    public LogLines(Class<?> source) {
        this(source.getName(), Level.INFO);
    }

    /** The lines of a logger, at any level. */
    public LogLines(String logger) {
        this(logger, Level.TRACE);
    }

    private LogLines(String name, Level level) {
        logger = (Logger) LoggerFactory.getLogger(name);
        before = logger.getLevel();
        logger.setLevel(level);
        start();
        logger.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        events.add(event);
    }

    /** Level and message of each line, such as {@code INFO started}, in their order. */
    public List<String> lines() {
        return events.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    /** The lines of that level that begin with a label in brackets, in their order. */
    public List<String> of(Level level, String label) {
        return events.stream()
                .filter(event -> event.getLevel().equals(level))
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.startsWith("[" + label + "] "))
                .toList();
    }

    /** All lines of that level, in their order. */
    public List<String> all(Level level) {
        return events.stream()
                .filter(event -> event.getLevel().equals(level))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(before);
        stop();
    }
}
