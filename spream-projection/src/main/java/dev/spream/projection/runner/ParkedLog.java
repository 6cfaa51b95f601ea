package dev.spream.projection.runner;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.projection.ParkDecision;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The log of a projection's parked and resumed aggregates: at most ten lines of each kind a minute, then the number of those
 * suppressed. Safe for use by many threads.
 */
final class ParkedLog {
    private static final Logger log = LoggerFactory.getLogger(ParkedLog.class);
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private static final String TRIED = "it is retried later";
    private static final String WAITS =
            "its later events wait until an operator retries or skips it, see 'projection show'";

    private final String projection;
    private final RateLimitedLog waiting;
    private final RateLimitedLog parked;
    private final RateLimitedLog resumed;

    ParkedLog(String projection, MonotonicTime time) {
        this.projection = projection;
        this.waiting = lines(time, Level.WARN, "are parked and wait for an operator");
        this.parked = lines(time, Level.INFO, "are parked and will be retried");
        this.resumed = lines(time, Level.INFO, "have been resumed");
    }

    private RateLimitedLog lines(MonotonicTime time, Level level, String what) {
        return new RateLimitedLog(log, projection, time, level, "aggregates %s; see 'projection show'".formatted(what));
    }

    /** @param firstVersion the first stored version */
    void parked(String key, long firstVersion, ParkDecision parking) {
        boolean again = parking.nextTry().isPresent();
        (again ? parked : waiting)
                .say(
                        "aggregate '{}' is parked from version {} on, reason {}: {}; " + (again ? TRIED : WAITS),
                        plain(key),
                        firstVersion,
                        parking.reason(),
                        parking.error());
    }

    /** Logs that a parked aggregate was retried, and stays parked. */
    void stays(String key, long firstVersion, ParkDecision parking) {
        if (parking.nextTry().isEmpty()) {
            parked(key, firstVersion, parking);
            return;
        }
        log.debug(
                "[{}] aggregate '{}' was retried and stays parked from version {} on, reason {}: {}; " + TRIED,
                projection,
                plain(key),
                firstVersion,
                parking.reason(),
                parking.error());
    }

    /** Logs that all events of a parked aggregate are applied. */
    void resumed(String key, long lastVersion) {
        resumed.say("aggregate '{}' is no longer parked; it continues after version {}", plain(key), lastVersion);
    }

    /** Logs the number of lines omitted in the last full minute. Called periodically. */
    void summarize() {
        lines().forEach(RateLimitedLog::summarize);
    }

    /** Logs the number of omitted lines. */
    void end() {
        lines().forEach(RateLimitedLog::end);
    }

    private Stream<RateLimitedLog> lines() {
        return Stream.of(waiting, parked, resumed);
    }

    private static String plain(String key) {
        return CONTROL.matcher(key).replaceAll("?");
    }
}
