package dev.spream.core;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** What a class logs from now on, from INFO up. Safe for use by many threads. */
public final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();
    private final Logger logger;
    private final Level before;

    public LogLines(Class<?> source) {
        logger = (Logger) LoggerFactory.getLogger(source);
        before = logger.getLevel();
        logger.setLevel(Level.INFO);
        start();
        logger.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        events.add(event);
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
