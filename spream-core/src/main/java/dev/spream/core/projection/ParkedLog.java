package dev.spream.core.projection;

import dev.spream.core.internal.MonotonicTime;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Says in the log which aggregates of a projection are parked, and which go on: of each kind of line ten a minute, and how many
 * more there were when the minute is over. Safe for use by many threads.
 */
final class ParkedLog {
    private static final Logger log = LoggerFactory.getLogger(ParkedLog.class);
    private static final int MOST = 10;
    private static final long WINDOW = TimeUnit.MINUTES.toNanos(1);
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private final String projection;
    private final MonotonicTime time;
    private final Lines waiting = new Lines(Level.WARN, "are parked and wait for somebody");
    private final Lines parked = new Lines(Level.INFO, "are parked and are tried again");
    private final Lines resumed = new Lines(Level.INFO, "that were parked go on");

    ParkedLog(String projection, MonotonicTime time) {
        this.projection = projection;
        this.time = time;
    }

    /**
     * An aggregate was parked.
     *
     * @param firstVersion that is set aside
     */
    void parked(String key, long firstVersion, Parking parking) {
        if (parking.nextTry().isPresent()) {
            parked.say(
                    "aggregate '{}' is parked from version {} on as {}: {}; it is tried again",
                    plain(key),
                    firstVersion,
                    parking.reason(),
                    parking.error());
        } else {
            waits(key, firstVersion, parking);
        }
    }

    private void waits(String key, long firstVersion, Parking parking) {
        waiting.say(
                "aggregate '{}' is parked from version {} on as {}: {}; all that comes for it waits until somebody retries or skips it, see 'projection show'",
                plain(key),
                firstVersion,
                parking.reason(),
                parking.error());
    }

    /** A parked aggregate was tried again, and stays parked. */
    void stays(String key, long firstVersion, Parking parking) {
        if (parking.nextTry().isPresent()) {
            log.debug(
                    "[{}] aggregate '{}' stays parked from version {} on as {}: {}",
                    projection,
                    plain(key),
                    firstVersion,
                    parking.reason(),
                    parking.error());
        } else {
            waits(key, firstVersion, parking);
        }
    }

    /** All events of a parked aggregate are applied. */
    void resumed(String key, long lastVersion) {
        resumed.say("aggregate '{}' is not parked any more, and goes on after version {}", plain(key), lastVersion);
    }

    /** Says how many lines were left out in a minute that is over. To be called now and then. */
    void summarize() {
        summarize(WINDOW);
    }

    /** Says how many lines were left out since. */
    void end() {
        summarize(0);
    }

    private void summarize(long age) {
        waiting.summarize(age);
        parked.summarize(age);
        resumed.summarize(age);
    }

    private static String plain(String key) {
        return CONTROL.matcher(key).replaceAll("?");
    }

    /** Lines of one kind. */
    private final class Lines {
        private final Level level;
        private final String what;

        // Guarded by this.
        private long since;
        private int said;
        private long leftOut;

        Lines(Level level, String what) {
            this.level = level;
            this.what = what;
        }

        void say(String message, Object... arguments) {
            summarize(WINDOW);
            if (take()) {
                Object[] all = new Object[arguments.length + 1];
                all[0] = projection;
                System.arraycopy(arguments, 0, all, 1, arguments.length);
                log.atLevel(level).log("[{}] " + message, all);
            }
        }

        /** Whether another line may be said in this minute. */
        private synchronized boolean take() {
            long now = time.nanoTime();
            if (said == 0 || now - since >= WINDOW) {
                since = now;
                said = 0;
            }
            if (said == MOST) {
                leftOut++;
                return false;
            }
            said++;
            return true;
        }

        /** Says how many were left out, if the first line of the minute is that old. */
        void summarize(long age) {
            long count = takeLeftOut(age);
            if (count > 0) {
                log.atLevel(level).log("[{}] {} more aggregates {}; see 'projection show'", projection, count, what);
            }
        }

        private synchronized long takeLeftOut(long age) {
            if (leftOut == 0 || time.nanoTime() - since < age) {
                return 0;
            }
            long count = leftOut;
            leftOut = 0;
            return count;
        }
    }
}
