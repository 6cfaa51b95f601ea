package dev.spream.servers;

import dev.spream.core.record.JsonObject;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An index of the double. Every method is synchronized. */
final class DoubleIndex {
    static final String PRIMARY_KEY = "_id"; // for documents of spream

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,511}");
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");
    private static final AtomicLong MADE = new AtomicLong();
    private static final int DEFAULT_LIMIT = 20;
    private static final long DEFAULT_TOTAL = 1_000;

    private final String name;
    private final String primaryKey;
    private final String createdAt = "2026-01-01T00:00:00.%09dZ".formatted(MADE.incrementAndGet());
    private final Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    private final Map<String, Map<String, @Nullable Object>> documents = new LinkedHashMap<>();

    DoubleIndex(String name, String primaryKey) {
        this.name = name;
        this.primaryKey = primaryKey;
        settings.put("searchableAttributes", List.of("*"));
        settings.put("filterableAttributes", List.of());
        settings.put("sortableAttributes", List.of());
        settings.put("rankingRules", List.of("words", "typo", "proximity", "attribute", "sort", "exactness"));
        settings.put("pagination", Map.of("maxTotalHits", BigDecimal.valueOf(DEFAULT_TOTAL)));
    }

    Map<String, Object> describe() {
        return Map.of("uid", name, "primaryKey", primaryKey, "createdAt", createdAt);
    }

    synchronized Map<String, @Nullable Object> settings() {
        return new LinkedHashMap<>(settings);
    }

    synchronized void set(JsonObject changed) {
        settings.putAll(changed.members());
    }

    synchronized Map<String, Map<String, @Nullable Object>> documents() {
        return new LinkedHashMap<>(documents);
    }

    /** Adds all documents, or none. */
    synchronized void add(List<?> added) {
        Map<String, Map<String, @Nullable Object>> valid = new LinkedHashMap<>();
        for (Object document : added) {
            Map<String, @Nullable Object> members = members(document);
            if (!members.containsKey(primaryKey)) {
                throw new DoubleRefusal(400, "missing_document_id");
            }
            String id = String.valueOf(members.get(primaryKey));
            if (!ID.matcher(id).matches()) {
                throw new DoubleRefusal(400, "invalid_document_id");
            }
            valid.put(id, members);
        }
        documents.putAll(valid);
    }

    private static Map<String, @Nullable Object> members(Object document) {
        if (!(document instanceof Map<?, ?> map)) {
            throw new DoubleRefusal(400, "malformed_payload");
        }
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        map.forEach((field, value) -> members.put(String.valueOf(field), value));
        return members;
    }

    synchronized void deleteBy(String filter) {
        documents.values().removeIf(filter(filter, "invalid_document_filter")::matches);
    }

    /** Rejects an invalid filter. */
    synchronized void check(String filter, String code) {
        filter(filter, code);
    }

    private DoubleFilter filter(Object filter, String code) {
        return new DoubleFilter(filter, Set.copyOf(names("filterableAttributes")), code);
    }

    /** Returns the filter, which accepts everything if the request has none. */
    private DoubleFilter filter(JsonObject request, String code) {
        return filter(Optional.ofNullable(request.get("filter")).orElse(List.of()), code);
    }

    private List<String> names(String setting) {
        return settings.get(setting) instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }

    synchronized Map<String, Object> fetch(JsonObject request) {
        Predicate<Map<String, @Nullable Object>> wanted = Optional.ofNullable(request.get("ids"))
                .<Predicate<Map<String, @Nullable Object>>>map(
                        ids -> document -> ((List<?>) ids).contains(document.get(primaryKey)))
                .orElse(document -> true);
        DoubleFilter filter = filter(request, "invalid_document_filter");
        List<Map<String, @Nullable Object>> found = documents.values().stream()
                .filter(wanted)
                .filter(filter::matches)
                .toList();
        return Map.of("results", page(found, request), "total", found.size());
    }

    private static List<Map<String, @Nullable Object>> page(
            List<Map<String, @Nullable Object>> found, JsonObject request) {
        return found.stream()
                .skip(request.int64("offset").orElse(0))
                .limit(request.int64("limit").orElse(DEFAULT_LIMIT))
                .toList();
    }

    synchronized Map<String, Object> search(JsonObject request) {
        DoubleFilter filter = filter(request, "invalid_search_filter");
        List<String> words = words(request.string("q").orElse(""));
        boolean all = request.string("matchingStrategy").orElse("last").equals("all");
        List<Map<String, @Nullable Object>> found = new ArrayList<>(documents.values().stream()
                .filter(filter::matches)
                .filter(document -> all ? rank(document, words) >= 0 : words.isEmpty())
                .toList());
        found.sort(order(request).thenComparingInt(document -> rank(document, words)));
        int total = (int) Math.min(found.size(), maxTotalHits());
        return Map.of(
                "hits", page(found.subList(0, total), request), "estimatedTotalHits", total, "processingTimeMs", 0);
    }

    private long maxTotalHits() {
        return settings.get("pagination") instanceof Map<?, ?> pagination
                        && pagination.get("maxTotalHits") instanceof BigDecimal hits
                ? hits.longValue()
                : DEFAULT_TOTAL;
    }

    private static List<String> words(String text) {
        return WORD.matcher(text.toLowerCase(Locale.ROOT))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /** Returns the sum of the positions of the fields that contain the words; -1 if a word is missing. */
    private int rank(Map<String, @Nullable Object> document, List<String> words) {
        int rank = 0;
        for (int i = 0; i < words.size(); i++) {
            int place = place(document, words.get(i), i == words.size() - 1);
            if (place < 0) {
                return -1;
            }
            rank += place;
        }
        return rank;
    }

    private int place(Map<String, @Nullable Object> document, String word, boolean last) {
        List<String> searchable = names("searchableAttributes");
        for (int place = 0; place < searchable.size(); place++) {
            Object value = document.get(searchable.get(place));
            if (value != null && has(String.valueOf(value), word, last)) {
                return place;
            }
        }
        return -1;
    }

    /** Returns whether the text contains the word, as a whole word; Japanese words may be anywhere. */
    private static boolean has(String text, String word, boolean last) {
        Matcher matcher = WORD.matcher(text.toLowerCase(Locale.ROOT));
        boolean ideographic = word.codePoints().anyMatch(DoubleIndex::isJapanese);
        while (matcher.find()) {
            String found = matcher.group();
            if (found.equals(word) || (last && found.startsWith(word)) || (ideographic && found.contains(word))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isJapanese(int codePoint) {
        return Character.isIdeographic(codePoint)
                || Character.UnicodeScript.of(codePoint) == Character.UnicodeScript.HIRAGANA
                || Character.UnicodeScript.of(codePoint) == Character.UnicodeScript.KATAKANA;
    }

    /** Returns the order by the field of the request, if the ranking rules begin with sort. */
    private Comparator<Map<String, @Nullable Object>> order(JsonObject request) {
        if (!(request.get("sort") instanceof List<?> sort) || sort.isEmpty()) {
            return (unusedOne, unusedOther) -> 0;
        }
        String field = String.valueOf(sort.getFirst()).replaceFirst(":asc$", "");
        if (!names("sortableAttributes").contains(field)) {
            throw new DoubleRefusal(400, "invalid_search_sort");
        }
        return names("rankingRules").getFirst().equals("sort")
                ? Comparator.comparing(document -> key(document.get(field)), SortKey.ORDER)
                : (unusedOne, unusedOther) -> 0;
    }

    /** Returns a key by which numbers come before text, and missing values last. */
    private static SortKey key(@Nullable Object value) {
        return switch (value) {
            case null -> new SortKey(2, BigDecimal.ZERO, "");
            case BigDecimal number -> new SortKey(0, number, "");
            default -> new SortKey(1, BigDecimal.ZERO, value.toString().toLowerCase(Locale.ROOT));
        };
    }

    private record SortKey(int kind, BigDecimal number, String text) {
        static final Comparator<SortKey> ORDER = Comparator.comparingInt(SortKey::kind)
                .thenComparing(SortKey::number)
                .thenComparing(SortKey::text);
    }
}
