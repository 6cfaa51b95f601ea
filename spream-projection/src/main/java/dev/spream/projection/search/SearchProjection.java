package dev.spream.projection.search;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.ExternalReadModel;
import dev.spream.projection.FailureKind;
import dev.spream.projection.FoldableProjection;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.event.EventEnvelope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A projection into a search index. All changes of a batch to a document become one change, and a batch of changes
 * becomes one call of the engine, or a few of 1,000 each; the batch is complete only when the engine has made them. So
 * the index may be ahead of the store's checkpoint, and is never behind it: changes that are repeated are ignored by
 * their versions.
 *
 * <p>The size of a batch, and how long it waits for events, are {@link dev.spream.projection.ProjectionOptions#batch}
 * and {@link dev.spream.projection.ProjectionOptions#linger}.
 *
 * <p>The store records which index a version has begun. Nothing is written to another one, such as an empty index that
 * replaces a lost one. The index of a version that is rebuilt is emptied before its first event; that of a first
 * version must be empty then.
 *
 * <p>Safe for use by many threads. The index is closed by its owner.
 */
public final class SearchProjection
        implements FoldableProjection<Object, Map<String, SearchChange>>, ExternalReadModel {
    private static final Logger log = LoggerFactory.getLogger(SearchProjection.class);
    private static final int CHANGES_IN_A_CALL = 1_000;

    private final String name;
    private final DocumentMapping mapping;
    private final IndexGeneration index;
    private final SearchListener listener;

    /**
     * Creates a projection with one index.
     *
     * @param name see {@link #name()}
     */
    public SearchProjection(String name, DocumentMapping mapping, SearchIndex index) {
        this(name, mapping, IndexGeneration.only(index), SearchListener.NONE);
        requireNonNull(index, "index");
    }

    /**
     * Creates a projection with a rebuildable read model: each version has an index.
     *
     * @param indexes opens the index of a version, called when the version is first written, and again if it fails; see
     *     {@link #versions}
     */
    public SearchProjection(String name, DocumentMapping mapping, IntFunction<SearchIndex> indexes) {
        this(name, mapping, IndexGeneration.first(indexes), SearchListener.NONE);
    }

    private SearchProjection(String name, DocumentMapping mapping, IndexGeneration index, SearchListener listener) {
        this.name = requireNonNull(name, "name");
        this.mapping = requireNonNull(mapping, "mapping");
        this.index = index;
        this.listener = requireNonNull(listener, "listener");
    }

    /** Returns the indexes {@code name-v1}, {@code name-v2} and so on; closing the engine closes them. */
    public static IntFunction<SearchIndex> versions(SearchEngine engine, String name, SearchSchema schema) {
        return version -> engine.open(indexName(name, version), schema);
    }

    /** Returns the name of the index of a version. */
    public static String indexName(String name, int version) {
        return name + "-v" + version;
    }

    /** Returns the same projection with a listener for its writes. */
    public SearchProjection listener(SearchListener told) {
        return new SearchProjection(name, mapping, index, told);
    }

    /** Returns the same projection into the index of that version; this, if it has only one index. */
    @Override
    public SearchProjection ofVersion(int version) {
        IndexGeneration other = index.ofVersion(version);
        return other.equals(index) ? this : new SearchProjection(name, mapping, other, listener);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Set<String> eventTypes() {
        return mapping.eventTypes();
    }

    @Override
    public Map<String, SearchChange> fold(@Nullable Map<String, SearchChange> folded, EventEnvelope event)
            throws Exception {
        Map<String, SearchChange> changes = folded == null ? new LinkedHashMap<>() : folded;
        for (SearchChange change : mapping.changes(event)) {
            changes.merge(change.id(), change, SearchProjection::join);
        }
        return changes;
    }

    /** Joins two changes of a document into one. */
    private static SearchChange join(SearchChange first, SearchChange then) {
        return switch (then) {
            case SearchChange.Put put -> put;
            case SearchChange.Delete delete -> delete;
            case SearchChange.Merge merge -> merged(first, merge);
        };
    }

    private static SearchChange merged(SearchChange first, SearchChange.Merge then) {
        return switch (first) {
            case SearchChange.Put put ->
                new SearchChange.Put(
                        new SearchDocument(put.id(), union(put.document().fields(), then.fields())), then.version());
            case SearchChange.Merge merge ->
                new SearchChange.Merge(merge.id(), union(merge.fields(), then.fields()), then.version());
            case SearchChange.Delete delete -> delete;
        };
    }

    private static Map<String, Object> union(Map<String, Object> first, Map<String, Object> then) {
        Map<String, Object> union = new LinkedHashMap<>(first);
        union.putAll(then);
        return union;
    }

    @Override
    public void write(Object transaction, Map<String, Map<String, SearchChange>> folded) {
        List<SearchChange> changes = new ArrayList<>();
        folded.values().forEach(ofAggregate -> changes.addAll(ofAggregate.values()));
        asking(() -> {
            for (int from = 0; from < changes.size(); from += CHANGES_IN_A_CALL) {
                call(changes.subList(from, Math.min(changes.size(), from + CHANGES_IN_A_CALL)));
            }
            return changes;
        });
    }

    private static <R> R asking(Supplier<R> engine) {
        try {
            return engine.get();
        } catch (SearchException e) {
            throw new ProjectionException(e.kind(), String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public String begin() {
        return asking(() -> {
            SearchIndex empty = index.get();
            long documents = empty.size();
            if (documents > 0 && !index.isBuiltAnew()) {
                throw new ProjectionException(
                        FailureKind.LOCAL,
                        "the search index %s has %d documents that the database of projection '%s' does not record, so they may belong to another database; nothing was changed: drop that index, or configure another one"
                                .formatted(empty, documents, name),
                        null);
            }
            if (documents > 0) {
                log.warn(
                        "[{}] the search index {} is to be built from the first event: removing {} documents of an earlier build",
                        name,
                        empty,
                        documents);
            }
            return empty.clear();
        });
    }

    @Override
    public void require(String id) {
        SearchIndex known = asking(index::get);
        if (!asking(() -> known.expect(id))) {
            throw new ProjectionException(
                    FailureKind.LOCAL,
                    "the search index %s is not the one that projection '%s' has written, which is in another folder, on another host or server, or lost; nothing was written: configure or restore that index, or rebuild it with 'projection rebuild %s' and cut over"
                            .formatted(known, name, name),
                    null);
        }
    }

    private void call(List<SearchChange> changes) {
        long startedAt = System.nanoTime();
        index.get().write(changes);
        listener.written(name, changes.size(), Duration.ofNanos(System.nanoTime() - startedAt));
    }
}
