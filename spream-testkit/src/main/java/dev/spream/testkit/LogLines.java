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

/** The log lines of a logger and its children, from the creation of this object on. Safe for use by many threads. */
public final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();
    private final Logger logger;
    private final @Nullable Level before;

    /** Collects the lines of a class, from INFO up. */
    public LogLines(Class<?> source) {
        this(source.getName(), Level.INFO);
    }

    /** Collects the lines of a logger, at any level. */
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

    /** Returns level and message of each line, such as {@code INFO started}, in order. */
    public List<String> lines() {
        return events.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    /** Returns the lines of that level that begin with a label in brackets, in order. */
    public List<String> of(Level level, String label) {
        return events.stream()
                .filter(event -> event.getLevel().equals(level))
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.startsWith("[" + label + "] "))
                .toList();
    }

    /** Returns all lines of that level, in order. */
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
