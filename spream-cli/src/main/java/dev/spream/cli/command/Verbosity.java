package dev.spream.cli.command;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import java.util.logging.LogManager;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** The verbosity of a command on its standard error: warnings, or with {@code --verbose} what spream does and why. */
public final class Verbosity {
    /** What ends a subscription is the command's own last line, and a listener of its own speaks of streams that break. */
    static final List<String> SAID_BY_THE_COMMAND =
            List.of("dev.spream.core.subscription.End", "dev.spream.core.subscription.Reconnect");

    /** What warns of a server that repeats itself. */
    private static final String SAYS_WHAT_COMES_AGAIN = "dev.spream.core.subscription.RecordReceiver";

    private static volatile boolean verbose;

    @Option(
            names = {"-v", "--verbose"},
            description = "Print log lines, and the stack trace of a failure.")
    private boolean requested;

    /** Configures the logging of the process. The client library's own logging, by java.util.logging, stays silent. */
    public void apply() {
        LogManager.getLogManager().reset();
        verbose = requested;
        System.setProperty("spream.log.exception", requested ? "%ex" : "%nopex"); // read by logback.xml
        if (requested) {
            level("dev.spream", Level.DEBUG);
        } else {
            SAID_BY_THE_COMMAND.forEach(name -> level(name, Level.OFF));
        }
    }

    /** Says nothing of records that come again: the command makes them do so, and counts them. */
    public void expectRepetitions() {
        if (!requested) {
            level(SAYS_WHAT_COMES_AGAIN, Level.OFF);
        }
    }

    /** Lets a logger speak whose lines are what the command is run for. */
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
