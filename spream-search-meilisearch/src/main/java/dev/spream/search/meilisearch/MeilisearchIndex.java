package dev.spream.search.meilisearch;

import dev.spream.core.ExponentialBackoff;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchException;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchResult;
import dev.spream.projection.search.SearchSchema;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
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
    private final Runnable drop;
    private final Supplier<String> create;
    private volatile String id;
    private volatile boolean dropped; // by clear(), which has not created it anew yet
    private volatile boolean closed;

    /**
     * @param id see {@link #id()}
     * @param drop drops it if it is there
     * @param create creates it if it is not there; returns its id
     */
    MeilisearchIndex(
            String name,
            SearchSchema schema,
            MeilisearchClient client,
            InstantSource clock,
            DocumentClaims claims,
            String id,
            Runnable drop,
            Supplier<String> create) {
        this.name = name;
        this.schema = schema;
        this.client = client;
        this.clock = clock;
        this.claims = claims;
        this.id = id;
        this.drop = drop;
        this.create = create;
    }

    /** Returns the time of its creation in nanoseconds, which the server stores and which identifies it. */
    static String id(MeilisearchClient client, String name) {
        return id(client, client.get("/indexes/" + name));
    }

    private static String id(MeilisearchClient client, JsonObject index) {
        return client.understood(() -> index.string("createdAt").orElseThrow());
    }

    @Override
    public String id() {
        return asking(() -> id(client, name));
    }

    @Override
    public boolean expect(String wanted) {
        return asking(() -> {
            boolean there = client.find(path(""))
                    .filter(index -> id(client, index).equals(wanted))
                    .isPresent();
            if (there && !id.equals(wanted)) {
                new IndexSettings(schema).give(client, name);
                id = wanted;
            }
            return there;
        });
    }

    /** Continues where an earlier call failed: on a server that is slower than the time limit, each takes one step. */
    @Override
    public String clear() {
        return asking(() -> {
            if (!dropped) {
                drop.run();
                dropped = true;
            }
            id = create.get();
            dropped = false;
            return id;
        });
    }

    private void requireSame() {
        if (!id(client, name).equals(id)) {
            throw new SearchException(
                    FailureKind.FATAL,
                    "the search index %s was replaced by another index since it was opened; nothing was written: restore the original and resume its projection, or rebuild it with 'projection rebuild' and cut over"
                            .formatted(this),
                    null);
        }
    }

    @Override
    public void write(List<SearchChange> changes) {
        dropped = false;
        for (int from = 0; from < changes.size(); from += DOCUMENTS) {
            List<SearchChange> some = changes.subList(from, Math.min(changes.size(), from + DOCUMENTS));
            Set<String> ids = some.stream().map(SearchChange::id).collect(Collectors.toCollection(LinkedHashSet::new));
            claims.with(
                    ids,
                    () -> asking(() -> {
                        requireSame();
                        send(some, settled(ids));
                        return true;
                    }));
        }
    }

    /** Returns the stored documents, once no unanswered earlier request with one of them may still arrive. */
    private Map<String, StoredDocument> settled(Set<String> ids) {
        Map<String, StoredDocument> stored = stored(ids);
        ExponentialBackoff backoff = TaskWait.backoff();
        while (claims.late().mayCome(ids, stored)) {
            client.tasks().rest(backoff.next().toNanos());
            stored = stored(ids);
        }
        return stored;
    }

    private Map<String, StoredDocument> stored(Set<String> ids) {
        Map<String, Object> query = Map.of("ids", List.copyOf(ids), "limit", ids.size());
        JsonObject answer = client.post(path("/documents/fetch"), query);
        Map<String, StoredDocument> stored = new HashMap<>();
        documents(answer, "results").forEach(document -> stored.put(document.id(), document));
        return stored;
    }

    private List<StoredDocument> documents(JsonObject answer, String member) {
        return client.understood(() -> MeilisearchClient.objects(answer, member).stream()
                .map(StoredDocument::of)
                .toList());
    }

    /** Sends the changes that are newer than the stored documents, in requests of a bounded size. */
    private void send(List<SearchChange> changes, Map<String, StoredDocument> stored) {
        List<String> request = new ArrayList<>();
        Map<String, Long> versions = new HashMap<>();
        int size = 0;
        for (SearchChange change : changes) {
            String text = text(change, stored);
            int bytes = text.getBytes(StandardCharsets.UTF_8).length;
            if (size + bytes > BYTES && !request.isEmpty()) {
                request(request, versions);
                request.clear();
                versions.clear();
                size = 0;
            }
            if (!text.isEmpty()) {
                request.add(text);
                versions.put(change.id(), change.version());
                size += bytes;
            }
        }
        if (!request.isEmpty()) {
            request(request, versions);
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
                    "the search index %s cannot store a document that is not valid JSON".formatted(name),
                    e);
        }
    }

    private void request(List<String> documents, Map<String, Long> versions) {
        client.tasks().await(enqueue("[" + String.join(",", documents) + "]", versions));
    }

    private long enqueue(String documents, Map<String, Long> versions) {
        try {
            return client.enqueue("POST", path("/documents?primaryKey=" + StoredDocument.ID), documents);
        } catch (RefusedException e) {
            if (e.mayBeDone()) {
                claims.late().add(versions);
            }
            throw e;
        } catch (SearchException e) {
            if (!(e.getCause() instanceof ConnectException) && !(e.getCause() instanceof HttpConnectTimeoutException)) {
                claims.late().add(versions);
            }
            throw e;
        }
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
        List<StoredDocument> hits = documents(found, "hits");
        return client.understood(() -> new SearchResult(
                found.int64("estimatedTotalHits").orElse(hits.size()),
                hits.stream().map(StoredDocument::document).toList(),
                Duration.ofMillis(found.int64("processingTimeMs").orElse(0))));
    }

    private List<String> filters(SearchQuery query) {
        List<String> filters = new ArrayList<>(List.of(LIVE));
        query.filters().forEach((field, value) -> {
            require(field, schema.filterable(), "filterable");
            filters.add("%s = %s".formatted(field, quoted(field, value)));
        });
        return filters;
    }

    private static String quoted(String field, String value) {
        return FilterText.quoted(value)
                .orElseThrow(() -> new SearchException(
                        FailureKind.POISON,
                        "the field %s cannot be filtered by a value that ends with a backslash, or has one before each kind of quotes: Meilisearch cannot express it"
                                .formatted(field),
                        null));
    }

    private static void require(String field, Set<String> offered, String how) {
        if (!offered.contains(field)) {
            throw new SearchException(
                    FailureKind.POISON,
                    "the field %s is not %s; fields that are: %s".formatted(field, how, offered),
                    null);
        }
    }

    @Override
    public long size() {
        return asking(this::counted);
    }

    /**
     * Returns the number of documents. Before the index has its settings, deletions cannot be distinguished and are
     * counted too.
     */
    private long counted() {
        try {
            return total(Map.of("filter", LIVE, "limit", 0));
        } catch (RefusedException e) {
            if (e.code().equals("invalid_document_filter")) {
                return total(Map.of("limit", 0));
            }
            throw e;
        }
    }

    private long total(Map<String, ?> query) {
        return RefusedException.orIfNoIndex(0L, () -> {
            JsonObject answer = client.post(path("/documents/fetch"), query);
            return client.understood(() -> answer.int64("total").orElseThrow());
        });
    }

    /** Removes old tombstones; the files of the server are not changed. */
    @Override
    public void optimize(Duration tombstones) {
        long until = clock.instant().minus(tombstones).toEpochMilli();
        String old = "%s = true AND %s <= %d".formatted(StoredDocument.DELETED, StoredDocument.DELETED_AT, until);
        asking(() -> deleted(old));
    }

    /** Deletes the documents that match the filter; returns false if there is no index. */
    private boolean deleted(String filter) {
        return RefusedException.orIfNoIndex(false, () -> {
            client.change("POST", path("/documents/delete"), Map.of("filter", filter));
            return true;
        });
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
