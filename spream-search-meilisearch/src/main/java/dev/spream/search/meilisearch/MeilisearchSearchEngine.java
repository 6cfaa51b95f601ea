package dev.spream.search.meilisearch;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.JsonObject;
import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchEngine;
import dev.spream.projection.search.SearchException;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchSchema;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Search indexes of a Meilisearch server. The server queues every change and responds at once; here, a change counts as
 * written when its task has succeeded.
 *
 * <p>The server has no versions of documents. They are stored in each document, deletions as documents without fields
 * that searches exclude, and compared before writing. In this process, a document has one writer at a time; between
 * processes, the segments of a projection ensure that.
 *
 * <p>A request that was not answered may still be executed later. Its documents are not written again until it was
 * executed, or the time limit of a task has passed.
 *
 * <p>Indexes on the same server with another primary key belong to other programs, and are neither listed nor changed.
 */
public final class MeilisearchSearchEngine implements SearchEngine {
    /** The default time limit of a task. */
    public static final Duration TASK_TIMEOUT = Duration.ofMinutes(1);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,120}");
    private static final int PAGE = 1_000;

    private final MeilisearchClient client;
    private final InstantSource clock;
    private final Map<String, DocumentClaims> claims = new ConcurrentHashMap<>();

    MeilisearchSearchEngine(MeilisearchClient client, InstantSource clock) {
        this.client = client;
        this.clock = clock;
    }

    /**
     * Returns the indexes of a server. The server is not called yet.
     *
     * @param key the API key; empty if the server requires none
     * @param taskTimeout the time limit of a task, including its time in the queue
     */
    public static MeilisearchSearchEngine of(URI url, Optional<String> key, Duration taskTimeout) {
        return new MeilisearchSearchEngine(
                new MeilisearchClient(requireNonNull(url, "url"), key, taskTimeout), InstantSource.system());
    }

    @Override
    public SearchIndex open(String name, SearchSchema schema) {
        requireName(name);
        return RefusedException.passedOn(() -> opened(name, schema));
    }

    private SearchIndex opened(String name, SearchSchema schema) {
        String id = made(name, schema);
        return new MeilisearchIndex(
                name,
                schema,
                client,
                clock,
                claims.computeIfAbsent(
                        name, any -> new DocumentClaims(client.tasks().timeout())),
                id,
                () -> dropped(name),
                () -> made(name, schema));
    }

    /** Creates the index if absent, and applies its settings; returns its id. */
    private String made(String name, SearchSchema schema) {
        Optional<JsonObject> there = client.find("/indexes/" + name);
        if (there.isPresent()) {
            requireOurs(name, there.get());
        } else {
            create(name);
        }
        new IndexSettings(schema).give(client, name);
        return MeilisearchIndex.id(client, name);
    }

    private static void requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the name of an index has %d characters, must be 1 to 120 letters, digits, hyphens and underscores"
                            .formatted(name.length()));
        }
    }

    private void create(String name) {
        try {
            client.change("POST", "/indexes", Map.of("uid", name, "primaryKey", StoredDocument.ID));
        } catch (RefusedException e) {
            if (!e.code().equals("index_already_exists")) {
                throw e;
            }
            requireOurs(name, client.get("/indexes/" + name)); // another process created it first
        }
    }

    private void requireOurs(String name, JsonObject index) {
        if (!client.understood(() -> index.string("uid").isPresent() && isManaged(index))) {
            throw new SearchException(
                    FailureKind.FATAL,
                    "the server has an index %s that was not created by spream, since its primary key differs; nothing was changed: choose another name, or remove the index"
                            .formatted(name),
                    null);
        }
    }

    private static boolean isManaged(JsonObject index) {
        return index.string("primaryKey").equals(Optional.of(StoredDocument.ID));
    }

    @Override
    public Set<String> indexes() {
        return RefusedException.passedOn(this::listed);
    }

    private Set<String> listed() {
        Set<String> names = new TreeSet<>();
        List<String> page;
        int offset = 0;
        do {
            page = page(offset);
            names.addAll(page);
            offset += PAGE;
        } while (page.size() == PAGE);
        names.remove("");
        return names;
    }

    /** Returns the names of a page of indexes; an empty name for one that was not created by spream. */
    private List<String> page(int offset) {
        JsonObject answer = client.get("/indexes?limit=%d&offset=%d".formatted(PAGE, offset));
        return client.understood(() -> MeilisearchClient.objects(answer, "results").stream()
                .map(index -> isManaged(index) ? index.string("uid").orElseThrow() : "")
                .toList());
    }

    @Override
    public boolean drop(String name) {
        requireName(name);
        return RefusedException.passedOn(() -> dropped(name));
    }

    private boolean dropped(String name) {
        Optional<JsonObject> there = client.find("/indexes/" + name);
        if (there.isEmpty()) {
            return false;
        }
        requireOurs(name, there.get());
        return RefusedException.orIfNoIndex(false, () -> {
            client.change("DELETE", "/indexes/" + name, null);
            return true;
        });
    }

    /** Ends waits for tasks; the tasks continue in the server. */
    @Override
    public void close() {
        client.close();
    }

    @Override
    public String toString() {
        return "Meilisearch at " + client;
    }
}
