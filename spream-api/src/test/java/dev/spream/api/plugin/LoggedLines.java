package dev.spream.api.plugin;

import static java.util.Objects.requireNonNull;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What was logged by a logger, and those below it, at any level, since this was opened. */
public final class LoggedLines implements AutoCloseable {
    private final Logger logger;
    private final @Nullable Level before;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    public LoggedLines(String name) {
        logger = (Logger) LoggerFactory.getLogger(requireNonNull(name));
        before = logger.getLevel();
        logger.setLevel(Level.ALL);
        appender.start();
        logger.addAppender(appender);
    }

    /** Level and message of each, such as {@code INFO started}. */
    public List<String> lines() {
        return List.copyOf(appender.list).stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setLevel(before);
    }
}
