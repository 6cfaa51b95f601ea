package dev.spream.examples.vocabulary;

import dev.spream.core.StorageException;
import dev.spream.core.projection.ProjectionVersion;
import dev.spream.core.search.SearchIndex;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The index to search in: that of the version which is live, as the store says. It is asked once a second at most; until then,
 * and while it cannot be asked, searches stay with the version that was live, which is still fed. Safe for use by many threads.
 */
final class LiveIndex implements Supplier<SearchIndex> {
    private static final Logger log = LoggerFactory.getLogger(LiveIndex.class);
    private static final long FRESH = Duration.ofSeconds(1).toNanos();
    private static final int FIRST = 1; // before the projection is known to the store

    private final Supplier<List<ProjectionVersion>> versions;
    private final IntFunction<SearchIndex> indexes;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Integer, SearchIndex> open = new HashMap<>(); // guarded by lock
    private volatile @Nullable Known known; // written under the lock

    private record Known(int version, SearchIndex index, long askedAt) {
        boolean isFresh() {
            return System.nanoTime() - askedAt < FRESH;
        }
    }

    /** @param indexes opens that of a version; whoever closes the engine closes it */
    LiveIndex(Supplier<List<ProjectionVersion>> versions, IntFunction<SearchIndex> indexes) {
        this.versions = versions;
        this.indexes = indexes;
    }

    /**
     * The index, for one search.
     *
     * @throws StorageException if the store could never be asked
     */
    @Override
    public SearchIndex get() {
        Known now = known;
        return now != null && now.isFresh() ? now.index() : ask();
    }

    private SearchIndex ask() {
        lock.lock();
        try {
            Known before = known;
            if (before != null && before.isFresh()) {
                return before.index();
            }
            int version = before == null ? live() : liveOr(before.version());
            Known now = new Known(version, open.computeIfAbsent(version, indexes::apply), System.nanoTime());
            known = now;
            return now.index();
        } finally {
            lock.unlock();
        }
    }

    private int live() {
        return versions.get().stream()
                .filter(ProjectionVersion::isLive)
                .mapToInt(ProjectionVersion::version)
                .findFirst()
                .orElse(FIRST);
    }

    private int liveOr(int before) {
        try {
            return live();
        } catch (StorageException e) {
            log.warn(
                    "which version of the search index is live is not known; searches stay with version {}", before, e);
            return before;
        }
    }
}
