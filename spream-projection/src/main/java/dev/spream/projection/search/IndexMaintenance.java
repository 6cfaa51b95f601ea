package dev.spream.projection.search;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.Waiter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Optimizes indexes periodically, one after the other, on a thread of its own; writes and searches continue meanwhile.
 * One instance per process is enough, and several processes may have one each.
 *
 * <p>The first run is after a tenth of the interval, so that it also happens in short-lived processes. Failures are
 * logged and retried in the next run; an index that was dropped is skipped.
 *
 * <p>Safe for use by many threads. The indexes belong to the caller; close this before them.
 */
public final class IndexMaintenance implements AutoCloseable {
    /** The default interval. */
    public static final Duration INTERVAL = Duration.ofDays(1);

    /** The default age up to which tombstones are kept: no event should arrive later than that. */
    public static final Duration TOMBSTONES = Duration.ofDays(7);

    private static final Logger log = LoggerFactory.getLogger(IndexMaintenance.class);
    private static final int SOONER = 10;

    private final Duration interval;
    private final Duration tombstones;
    private final Map<Kept, SearchIndex> indexes = new ConcurrentHashMap<>();
    private final Waiter closing = new Waiter(MonotonicTime.SYSTEM);
    private volatile boolean closed;

    private record Kept(IntFunction<SearchIndex> opening, int version) {}

    private IndexMaintenance(Duration interval, Duration tombstones) {
        if (!interval.isPositive()) {
            throw new IllegalArgumentException(
                    "the interval is %s, must be positive".formatted(DurationText.of(interval)));
        }
        if (tombstones.isNegative()) {
            throw new IllegalArgumentException(
                    "the age of tombstones is %s, must not be negative".formatted(DurationText.of(tombstones)));
        }
        this.interval = interval;
        this.tombstones = tombstones;
    }

    /**
     * Starts an instance that works until it is closed.
     *
     * @param interval the time from the end of one run to the start of the next
     * @param tombstones see {@link SearchIndex#optimize}
     */
    public static IndexMaintenance start(Duration interval, Duration tombstones) {
        IndexMaintenance started = new IndexMaintenance(interval, tombstones);
        Thread.ofVirtual().name("spream-index-maintenance").start(started::run);
        return started;
    }

    /**
     * Returns the same indexes by version; an index that is opened is optimized from then on, the last opened one of
     * each version.
     */
    public IntFunction<SearchIndex> keeping(IntFunction<SearchIndex> opening) {
        requireNonNull(opening, "opening");
        return version -> {
            SearchIndex index = opening.apply(version);
            indexes.put(new Kept(opening, version), index);
            return index;
        };
    }

    private void run() {
        try {
            closing.await(interval.dividedBy(SOONER));
            while (!closed) {
                indexes.values().forEach(this::optimize);
                closing.await(interval);
            }
        } catch (InterruptedException e) {
            log.warn("the maintenance of search indexes was interrupted and has ended; they are no longer optimized");
        }
    }

    private void optimize(SearchIndex index) {
        if (closed) {
            return;
        }
        try {
            index.optimize(tombstones);
        } catch (RuntimeException e) {
            if (!closed) {
                log.warn(
                        "the search index {} was not optimized and is unchanged; the next attempt is in {}",
                        index,
                        DurationText.of(interval),
                        LoggedFailure.of(e));
            }
        }
    }

    /**
     * Starts no further optimization; one in progress continues until its engine is closed. Closing again is harmless.
     */
    @Override
    public void close() {
        closed = true;
        closing.signal();
    }
}
