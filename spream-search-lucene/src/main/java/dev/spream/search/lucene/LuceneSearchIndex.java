package dev.spream.search.lucene;

import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A user's handle of an open index. Safe for use by many threads. */
final class LuceneSearchIndex implements SearchIndex {
    private final LuceneSearchEngine engine;
    private final SharedIndex shared;
    private final AtomicBoolean closed = new AtomicBoolean();

    LuceneSearchIndex(LuceneSearchEngine engine, SharedIndex shared) {
        this.engine = engine;
        this.shared = shared;
    }

    @Override
    public void write(List<SearchChange> changes) {
        index().write(changes);
    }

    @Override
    public String id() {
        return index().id();
    }

    @Override
    public boolean expect(String id) {
        return index().expect(id);
    }

    @Override
    public String clear() {
        return index().clear();
    }

    @Override
    public SearchResult search(SearchQuery query) {
        return index().search(query);
    }

    @Override
    public long size() {
        return index().size();
    }

    @Override
    public void optimize(Duration tombstones) {
        index().optimize(tombstones);
    }

    private SharedIndex index() {
        if (closed.get()) {
            throw shared.isClosed();
        }
        return shared;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            engine.release(shared);
        }
    }

    @Override
    public String toString() {
        return shared.toString();
    }
}
