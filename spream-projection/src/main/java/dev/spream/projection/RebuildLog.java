package dev.spream.projection;

import dev.spream.core.DurationText;
import dev.spream.core.internal.MonotonicTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in the log now and then how far a version is that is being built, and once that it has caught up. Confined to a thread. */
final class RebuildLog {
    private static final Logger log = LoggerFactory.getLogger(RebuildLog.class);
    private static final long EVERY = TimeUnit.SECONDS.toNanos(10);

    private final MonotonicTime time;
    private long saidAt;
    private @Nullable RebuildProgress last;

    RebuildLog(MonotonicTime time) {
        this.time = time;
        this.saidAt = time.nanoTime();
    }

    void say(RebuildProgress progress) {
        RebuildProgress before = last;
        last = progress;
        String name = progress.version().stateName();
        if (progress.isCaughtUp()) {
            if (before == null || !before.isCaughtUp()) {
                caughtUp(progress);
            }
        } else if (time.nanoTime() - saidAt >= EVERY) {
            saidAt = time.nanoTime();
            log.info(
                    "[{}] {}% built: {} events, {} a second, {} left",
                    name,
                    Math.floor(1_000 * progress.share()) / 10,
                    progress.applied(),
                    Math.round(progress.rate().orElse(0)),
                    left(progress.left()));
        }
    }

    private static void caughtUp(RebuildProgress progress) {
        ProjectionVersion version = progress.version();
        if (progress.parked() > 0) {
            log.warn(
                    "[{}] has caught up with the live version after {} events, but {} aggregates are parked in it; they stay as they are until somebody acts, and a cut-over that loses them is refused: 'projection show {}@{}' says why",
                    version.stateName(),
                    progress.applied(),
                    progress.parked(),
                    version.projection(),
                    version.version());
        } else if (version.role() == VersionRole.SHADOW) {
            log.info(
                    "[{}] has caught up with the live version after {} events; make it live with 'projection cutover {}'",
                    version.stateName(),
                    progress.applied(),
                    version.projection());
        } else {
            log.info("[{}] has caught up with the live version", version.stateName());
        }
    }

    private static String left(Optional<Duration> left) {
        return left.map(DurationText::of).orElse("an unknown time");
    }
}
