package dev.spream.cli.command;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import java.util.logging.LogManager;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** The verbosity on standard error: warnings, or with {@code --verbose} also information and debug output. */
public final class Verbosity {
    /**
     * Loggers that are silenced: the last line of the command reports the end of a subscription, and a listener reports
     * broken streams.
     */
    static final List<String> SAID_BY_THE_COMMAND =
            List.of("dev.spream.core.subscription.End", "dev.spream.core.subscription.Reconnect");

    /** The logger that warns of a server that repeats records. */
    private static final String SAYS_WHAT_COMES_AGAIN = "dev.spream.core.subscription.reading.PartitionReading";

    private static volatile boolean verbose;

    @Option(
            names = {"-v", "--verbose"},
            description = "Print log lines, and the stack trace of a failure.")
    private boolean requested;

    /** Configures logging. The client library's java.util.logging output stays off. */
    public void apply() {
        LogManager.getLogManager().reset();
        verbose = requested;
        System.setProperty("spream.log.exception", requested ? "%ex" : "%nopex"); // evaluated by logback.xml
        if (requested) {
            level("dev.spream", Level.DEBUG);
        } else {
            SAID_BY_THE_COMMAND.forEach(name -> level(name, Level.OFF));
        }
    }

    /** Silences the warnings about repeated records, which the command causes and counts itself. */
    public void expectRepetitions() {
        if (!requested) {
            level(SAYS_WHAT_COMES_AGAIN, Level.OFF);
        }
    }

    /** Enables a logger whose lines are the purpose of the command. */
    public static void show(String logger) {
        level(logger, Level.TRACE);
    }

    private static void level(String logger, Level level) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger(logger).setLevel(level);
        }
    }

    static boolean isVerbose() {
        return verbose;
    }
}
