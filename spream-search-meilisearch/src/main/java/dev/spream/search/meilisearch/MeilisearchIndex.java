package dev.spream.search.meilisearch;

import dev.spream.core.projection.FailureKind;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.core.search.SearchChange;
import dev.spream.core.search.SearchDocument;
import dev.spream.core.search.SearchException;
import dev.spream.core.search.SearchIndex;
import dev.spream.core.search.SearchQuery;
import dev.spream.core.search.SearchResult;
import dev.spream.core.search.SearchSchema;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** An index of the server. Safe for use by many threads. */
final class MeilisearchIndex implements SearchIndex {
    private static final int DOCUMENTS = 1_000;
    private static final int BYTES = 8 << 20;
    private static final String LIVE = StoredDocument.DELETED + " = false";

    private final String name;
    private final SearchSchema schema;
    private final MeilisearchClient client;
    private final InstantSource clock;
    private final DocumentClaims claims;
    private volatile boolean closed;

    MeilisearchIndex(
            String name, SearchSchema schema, MeilisearchClient client, InstantSource clock, DocumentClaims claims) {
        this.name = name;
        this.schema = schema;
        this.client = client;
        this.clock = clock;
        this.claims = claims;
    }

    @Override
    public void write(List<SearchChange> changes) {
        for (int from = 0; from < changes.size(); from += DOCUMENTS) {
            List<SearchChange> some = changes.subList(from, Math.min(changes.size(), from + DOCUMENTS));
            Set<String> ids = some.stream().map(SearchChange::id).collect(Collectors.toCollection(LinkedHashSet::new));
            claims.with(
                    ids,
                    () -> asking(() -> {
                        send(some, stored(ids));
                        return true;
                    }));
        }
    }

    private Map<String, StoredDocument> stored(Set<String> ids) {
        Map<String, StoredDocument> stored = new HashMap<>();
        Map<String, Object> query = Map.of("ids", List.copyOf(ids), "limit", ids.size());
        client.post(path("/documents/fetch"), query).objects("results").stream()
                .map(StoredDocument::of)
                .forEach(document -> stored.put(document.id(), document));
        return stored;
    }

    /** Sends what is newer, in requests of a bounded size. */
    private void send(List<SearchChange> changes, Map<String, StoredDocument> stored) {
        List<String> request = new ArrayList<>();
        int size = 0;
        for (SearchChange change : changes) {
            String text = text(change, stored);
            int bytes = text.getBytes(StandardCharsets.UTF_8).length;
            if (size + bytes > BYTES && !request.isEmpty()) {
                send(request);
                request.clear();
                size = 0;
            }
            if (!text.isEmpty()) {
                request.add(text);
                size += bytes;
            }
        }
        if (!request.isEmpty()) {
            send(request);
        }
    }

    private String text(SearchChange change, Map<String, StoredDocument> stored) {
        try {
            return StoredDocument.after(stored.get(change.id()), change, clock.instant())
                    .map(Json::text)
                    .orElse("");
        } catch (IllegalArgumentException e) {
            throw new SearchException(
                    FailureKind.POISON,
                    "the search index %s cannot take a document that is no JSON".formatted(name),
                    e);
        }
    }

    private void send(List<String> documents) {
        client.changeText(
                "POST", path("/documents?primaryKey=" + StoredDocument.ID), "[" + String.join(",", documents) + "]");
    }

    @Override
    public SearchResult search(SearchQuery query) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("q", query.text());
        body.put("offset", query.offset());
        body.put("limit", query.limit());
        body.put("filter", filters(query));
        query.sortBy().ifPresent(field -> {
            require(field, schema.sortable(), "sortable");
            body.put("sort", List.of(field + ":asc"));
        });
        body.put("matchingStrategy", "all");
        JsonObject found = asking(() -> client.post(path("/search"), body));
        List<SearchDocument> documents = found.objects("hits").stream()
                .map(StoredDocument::of)
                .map(StoredDocument::document)
                .toList();
        return new SearchResult(
                found.int64("estimatedTotalHits").orElse(documents.size()),
                documents,
                Duration.ofMillis(found.int64("processingTimeMs").orElse(0)));
    }

    private List<String> filters(SearchQuery query) {
        List<String> filters = new ArrayList<>(List.of(LIVE));
        query.filters().forEach((field, value) -> {
            require(field, schema.filterable(), "filterable");
            filters.add(
                    "%s = \"%s\"".formatted(field, value.replace("\\", "\\\\").replace("\"", "\\\"")));
        });
        return filters;
    }

    private static void require(String field, Set<String> offered, String how) {
        if (!offered.contains(field)) {
            throw new SearchException(
                    FailureKind.POISON, "the field %s is not %s; these are: %s".formatted(field, how, offered), null);
        }
    }

    @Override
    public long size() {
        return asking(() -> client.post(path("/documents/fetch"), Map.of("filter", LIVE, "limit", 0)))
                .int64("total")
                .orElseThrow();
    }

    /** Old tombstones go; the files of the server stay as they are. */
    @Override
    public void optimize(Duration tombstones) {
        long until = clock.instant().minus(tombstones).toEpochMilli();
        String old = "%s = true AND %s <= %d".formatted(StoredDocument.DELETED, StoredDocument.DELETED_AT, until);
        asking(() -> client.change("POST", path("/documents/delete"), Map.of("filter", old)));
    }

    private String path(String rest) {
        return "/indexes/" + name + rest;
    }

    private <R> R asking(Supplier<R> request) {
        if (closed) {
            throw new SearchException(FailureKind.FATAL, "the search index %s is closed".formatted(name), null);
        }
        return RefusedException.passedOn(request);
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public String toString() {
        return "%s at %s".formatted(name, client);
    }
}
