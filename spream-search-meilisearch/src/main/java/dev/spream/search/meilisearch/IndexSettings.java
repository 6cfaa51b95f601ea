package dev.spream.search.meilisearch;

import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.projection.search.SearchSchema;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A schema as the settings of an index. The sort order takes precedence over all ranking rules, and all pages can be
 * read.
 */
final class IndexSettings {
    private static final String FILTERABLE = "filterableAttributes";
    private static final String SORTABLE = "sortableAttributes";
    private static final Set<String> UNORDERED = Set.of(FILTERABLE, SORTABLE);
    private static final int MAX_TOTAL_HITS = 11_000;

    private final Map<String, Object> members = new LinkedHashMap<>();

    IndexSettings(SearchSchema schema) {
        Set<String> filterable = new TreeSet<>(schema.filterable());
        filterable.add(StoredDocument.DELETED);
        filterable.add(StoredDocument.DELETED_AT);
        members.put("searchableAttributes", schema.searchable());
        members.put(FILTERABLE, List.copyOf(filterable));
        members.put(SORTABLE, List.copyOf(new TreeSet<>(schema.sortable())));
        members.put("rankingRules", List.of("sort", "words", "typo", "proximity", "attribute", "exactness"));
        members.put("pagination", Map.of("maxTotalHits", BigDecimal.valueOf(MAX_TOTAL_HITS)));
    }

    /** Applies the settings to the index, and waits until that is done. */
    void give(MeilisearchClient client, String index) {
        String path = "/indexes/%s/settings".formatted(index);
        if (!hold(client.get(path))) {
            client.change("PATCH", path, members);
        }
    }

    private boolean hold(JsonObject known) {
        return members.keySet().stream()
                .allMatch(name -> UNORDERED.contains(name)
                        ? asSet(members.get(name)).equals(asSet(known.get(name)))
                        : Json.text(members.get(name)).equals(Json.text(known.get(name))));
    }

    private static Set<Object> asSet(@Nullable Object list) {
        return list instanceof List<?> values ? Set.copyOf(values) : Set.of();
    }
}
