package dev.spream.examples.vocabulary;

import static java.util.Objects.requireNonNull;

import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.search.SearchIndex;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The search index of the live version. The stored live version is queried once a second at most, in the background:
 * until the result is known, and after a failure, searches use the previous live version, which still receives events.
 * Safe for use by many threads.
 */
final class LiveIndex implements Supplier<SearchIndex> {
    private static final Logger log = LoggerFactory.getLogger(LiveIndex.class);
    private static final Duration FRESH = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofMillis(100); // of the search that starts the query
    private static final int FIRST = 1; // before the projection is registered in the store

    private final Supplier<List<ProjectionVersion>> versions;
    private final IntFunction<SearchIndex> indexes;
    private final InstantSource clock;
    private final Semaphore asking = new Semaphore(1);
    private final Map<Integer, SearchIndex> open = new HashMap<>(); // used by the querying thread
    private volatile @Nullable Known known; // written by the querying thread

    private record Known(int version, SearchIndex index, Instant askedAt) {
        boolean isFresh(Instant now) {
            return Duration.between(askedAt, now).abs().compareTo(FRESH) < 0;
        }
    }

    /** @param indexes opens the index of a version; the owner of the engine closes it */
    LiveIndex(Supplier<List<ProjectionVersion>> versions, IntFunction<SearchIndex> indexes, InstantSource clock) {
        this.versions = versions;
        this.indexes = indexes;
        this.clock = clock;
    }

    /**
     * Returns the index for one search.
     *
     * @throws StorageException if the store could never be queried
     */
    @Override
    public SearchIndex get() {
        Known now = known;
        if (now == null) {
            return first().index();
        }
        return now.isFresh(clock.instant()) || !asking.tryAcquire()
                ? now.index()
                : asked(now).index();
    }

    private Known first() {
        asking.acquireUninterruptibly();
        try {
            Known before = known;
            return before == null ? know(live()) : before;
        } finally {
            asking.release();
        }
    }

    private Known know(int version) {
        Known now = new Known(version, open.computeIfAbsent(version, indexes::apply), clock.instant());
        known = now;
        return now;
    }

    private int live() {
        return versions.get().stream()
                .filter(ProjectionVersion::isLive)
                .mapToInt(ProjectionVersion::version)
                .findFirst()
                .orElse(FIRST);
    }

    /** Returns the known version after a short wait, whether or not the store has responded. */
    private Known asked(Known before) {
        Thread ask = Thread.ofVirtual().name("vocabulary-live-index").start(() -> ask(before));
        try {
            ask.join(TIMEOUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return requireNonNull(known);
    }

    private void ask(Known before) {
        try {
            know(live());
        } catch (RuntimeException e) {
            log.warn(
                    "the live version of the search index cannot be determined, or its index cannot be opened; "
                            + "searches stay with version {}",
                    before.version(),
                    LoggedFailure.of(e));
            known = new Known(before.version(), before.index(), clock.instant());
        } finally {
            asking.release();
        }
    }
}
