package dev.spream.projection.search;

import static java.util.Objects.requireNonNull;

import dev.spream.core.internal.SectionLock;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The index of a version, opened when it is first needed. Safe for use by many threads. */
final class IndexGeneration {
    private final IntFunction<SearchIndex> indexes;
    private final int version; // 0 if there is only one index
    private final SectionLock lock = new SectionLock();
    private volatile @Nullable SearchIndex open; // written under the lock

    private IndexGeneration(IntFunction<SearchIndex> indexes, int version) {
        this.indexes = requireNonNull(indexes, "indexes");
        this.version = version;
    }

    static IndexGeneration only(SearchIndex index) {
        return new IndexGeneration(any -> index, 0);
    }

    static IndexGeneration first(IntFunction<SearchIndex> indexes) {
        return new IndexGeneration(indexes, 1);
    }

    IndexGeneration ofVersion(int other) {
        return version == 0 || version == other ? this : new IndexGeneration(indexes, other);
    }

    /** Returns whether it is not the first of its projection. */
    boolean isBuiltAnew() {
        return version > 1;
    }

    SearchIndex get() {
        SearchIndex known = open;
        return known == null ? opened() : known;
    }

    private SearchIndex opened() {
        return lock.get(() -> {
            SearchIndex known = open;
            if (known == null) {
                known = requireNonNull(indexes.apply(version), "the index of a version");
                open = known;
            }
            return known;
        });
    }
}
