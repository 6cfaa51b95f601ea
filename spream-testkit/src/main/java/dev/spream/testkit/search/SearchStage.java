package dev.spream.testkit.search;

import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchEngine;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchResult;
import dev.spream.projection.search.SearchSchema;
import dev.spream.testkit.event.Threads;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The base of the parts of the contract of search engines: the index under test, and helper methods. */
interface SearchStage {
    String NAME = "words-v1";
    SearchSchema SCHEMA = new SearchSchema(
            List.of("word", "definition"), Set.of("level", "tags", "common"), Set.of("word", "examples"));

    /** Returns the open index of the test. */
    SearchIndex index();

    SearchEngine engine();

    /** Returns the index of the test, opened again as in the next process. */
    SearchIndex reopened();

    Threads threads();

    static SearchDocument document(String id, Object... fields) {
        return new SearchDocument(id, fields(fields));
    }

    static Map<String, Object> fields(Object... fields) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < fields.length; i += 2) {
            map.put((String) fields[i], fields[i + 1]);
        }
        return map;
    }

    static SearchChange put(String id, long version, Object... fields) {
        return new SearchChange.Put(document(id, fields), version);
    }

    static SearchChange merge(String id, long version, Object... fields) {
        return new SearchChange.Merge(id, fields(fields), version);
    }

    static SearchChange delete(String id, long version) {
        return new SearchChange.Delete(id, version);
    }

    default void write(SearchChange... changes) {
        index().write(List.of(changes));
    }

    /** Returns the ids of the hits, in the order of the engine. */
    default List<String> found(String text) {
        return ids(index().search(SearchQuery.of(text)));
    }

    default List<String> found(SearchQuery query) {
        return ids(index().search(query));
    }

    static List<String> ids(SearchResult result) {
        return result.documents().stream().map(SearchDocument::id).toList();
    }

    /** Returns the fields of an existing document. */
    default Optional<Map<String, Object>> stored(String id) {
        List<SearchDocument> all =
                new ArrayList<>(index().search(new SearchQuery("", Map.of(), Optional.empty(), 0, 1_000))
                        .documents());
        return all.stream()
                .filter(document -> document.id().equals(id))
                .findFirst()
                .map(SearchDocument::fields);
    }

    static SearchQuery filtered(String text, Map<String, String> filters) {
        return new SearchQuery(text, filters, Optional.empty(), 0, 20);
    }

    static SearchQuery sorted(String field) {
        return new SearchQuery("", Map.of(), Optional.of(field), 0, 20);
    }
}
