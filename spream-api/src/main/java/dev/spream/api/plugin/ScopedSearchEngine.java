package dev.spream.api.plugin;

import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchEngine;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchResult;
import dev.spream.projection.search.SearchSchema;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** A plug-in's search engine, called in its scope, and so are its indexes. */
record ScopedSearchEngine(SearchEngine target, CallScope scope) implements SearchEngine {
    @Override
    public SearchIndex open(String name, SearchSchema schema) {
        return new ScopedIndex(scope.call(() -> target.open(name, schema)), scope);
    }

    @Override
    public Set<String> indexes() {
        return scope.call(target::indexes);
    }

    @Override
    public boolean drop(String name) {
        return scope.call(() -> target.drop(name));
    }

    @Override
    public void close() {
        scope.run(target::close);
    }

    @Override
    public String toString() {
        return target.toString();
    }

    /** An index of a plug-in's search engine. */
    record ScopedIndex(SearchIndex target, CallScope scope) implements SearchIndex {
        @Override
        public void write(List<SearchChange> changes) {
            scope.run(() -> target.write(changes));
        }

        @Override
        public String id() {
            return scope.call(target::id);
        }

        @Override
        public boolean expect(String id) {
            return scope.call(() -> target.expect(id));
        }

        @Override
        public String clear() {
            return scope.call(target::clear);
        }

        @Override
        public SearchResult search(SearchQuery query) {
            return scope.call(() -> target.search(query));
        }

        @Override
        public long size() {
            return scope.call(target::size);
        }

        @Override
        public void optimize(Duration tombstones) {
            scope.run(() -> target.optimize(tombstones));
        }

        @Override
        public void close() {
            scope.run(target::close);
        }

        @Override
        public String toString() {
            return target.toString();
        }
    }
}
