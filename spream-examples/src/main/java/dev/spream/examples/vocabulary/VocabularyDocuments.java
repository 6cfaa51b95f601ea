package dev.spream.examples.vocabulary;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import dev.spream.examples.vocabulary.VocabularyEvent.EntryCreated;
import dev.spream.examples.vocabulary.VocabularyEvent.ExampleAdded;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemAddedToEntry;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemDeleted;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemUpdated;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemsGeneratedWithAI;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.search.DocumentMapping;
import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A document for each item: searchable fields, filters, and fields for display. */
final class VocabularyDocuments implements DocumentMapping {
    static final String PROJECTION = "vocabulary_search_index";
    static final String INDEX = "vocabulary_items";
    static final SearchSchema SCHEMA = new SearchSchema(
            List.of("word", "reading", "definition", "categories", "tags"),
            Set.of("difficulty", "categories", "part_of_speech", "review_status", "entry_id"),
            Set.of("word", "created_at"));

    @Override
    public Set<String> eventTypes() {
        return Set.of("ItemAddedToEntry", "ItemUpdated", "ItemDeleted", "ItemsGeneratedWithAI");
    }

    @Override
    public List<SearchChange> changes(EventEnvelope event) {
        return switch (EventCodec.readForProjection(event)) {
            case ItemAddedToEntry added -> List.of(put(added.word(), added.item(), false, event));
            case ItemUpdated updated ->
                List.of(new SearchChange.Merge(updated.itemId(), fields(updated.change()), event.eventVersion()));
            case ItemDeleted deleted -> List.of(new SearchChange.Delete(deleted.itemId(), event.eventVersion()));
            case ItemsGeneratedWithAI generated ->
                generated.items().stream()
                        .map(item -> put(generated.word(), item, true, event))
                        .toList();
            case EntryCreated created -> List.of();
            case ExampleAdded added -> List.of();
        };
    }

    private static SearchChange put(Word word, Item item, boolean generated, EventEnvelope event) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("entry_id", event.aggregateId());
        fields.put("word", word.word());
        fields.put("reading", word.reading());
        fields.put("part_of_speech", word.partOfSpeech());
        fields.put("definition", item.definition());
        fields.put("difficulty", item.difficulty());
        fields.put("categories", item.categories());
        fields.put("tags", item.tags());
        fields.put("quality_score", 0.0);
        fields.put("is_ai_generated", generated);
        fields.put("review_status", "pending");
        fields.put("created_by", event.metadata().userId());
        fields.put("created_at", event.occurredAt().toString());
        return new SearchChange.Put(new SearchDocument(item.itemId(), fields), event.eventVersion());
    }

    private static Map<String, Object> fields(ItemChange change) {
        Map<String, Object> fields = new LinkedHashMap<>();
        EventCodec.change(change).asMap().forEach((name, value) -> fields.put(name, value(value)));
        return fields;
    }

    private static Object value(JsonElement value) {
        return switch (value) {
            case JsonArray list ->
                list.asList().stream().map(JsonElement::getAsString).toList();
            case JsonPrimitive number when number.isNumber() -> number.getAsDouble();
            default -> value.getAsString();
        };
    }
}
