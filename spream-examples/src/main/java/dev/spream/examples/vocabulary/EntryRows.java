package dev.spream.examples.vocabulary;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.spream.examples.vocabulary.VocabularyEvent.EntryCreated;
import dev.spream.examples.vocabulary.VocabularyEvent.ExampleAdded;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemAddedToEntry;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemDeleted;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemUpdated;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemsGeneratedWithAI;
import dev.spream.projection.event.EventEnvelope;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The effect of a batch of events on the rows of one entry, each row as a JSON object with the names of its columns.
 * Changes are merged: an item that is added and then changed is added in its last state, and a deleted one leaves only
 * its deletion. Confined to one thread.
 */
final class EntryRows {
    private static final double NOT_JUDGED = 0;

    private final Map<String, JsonObject> items = new LinkedHashMap<>();
    private final Map<String, JsonObject> changes = new LinkedHashMap<>();
    private final Map<String, JsonObject> examples = new LinkedHashMap<>();
    private final Set<String> deletions = new LinkedHashSet<>();
    private final JsonObject last = new JsonObject();
    private Optional<JsonObject> entry = Optional.empty();

    void add(EventEnvelope event) {
        switch (EventCodec.readForProjection(event)) {
            case EntryCreated created -> entry = Optional.of(entryRow(created.word(), event));
            case ItemAddedToEntry added -> add(added.word(), added.item(), false, event);
            case ItemUpdated updated -> update(updated, event);
            case ItemDeleted deleted -> delete(deleted.itemId());
            case ExampleAdded added -> add(added.itemId(), added.example(), event);
            case ItemsGeneratedWithAI generated ->
                generated.items().forEach(item -> add(generated.word(), item, true, event));
        }
        last.addProperty("entry_id", event.aggregateId());
        last.addProperty("version", event.eventVersion());
        last.addProperty("updated_at", event.occurredAt().toString());
    }

    private static JsonObject entryRow(Word word, EventEnvelope event) {
        JsonObject row = created(event);
        row.addProperty("entry_id", event.aggregateId());
        row.addProperty("word", word.word());
        row.addProperty("reading", word.reading());
        row.addProperty("part_of_speech", word.partOfSpeech());
        return row;
    }

    private static JsonObject created(EventEnvelope event) {
        JsonObject row = new JsonObject();
        row.addProperty("created_by", event.metadata().userId());
        row.addProperty("created_at", event.occurredAt().toString());
        return row;
    }

    private void add(Word word, Item item, boolean generated, EventEnvelope event) {
        JsonObject row = created(event);
        row.addProperty("item_id", item.itemId());
        row.addProperty("entry_id", event.aggregateId());
        row.addProperty("word", word.word());
        row.addProperty("definition", item.definition());
        row.addProperty("difficulty", item.difficulty());
        row.add("categories", EventCodec.array(item.categories()));
        row.add("tags", EventCodec.array(item.tags()));
        row.addProperty("quality_score", NOT_JUDGED);
        row.addProperty("updated_at", event.occurredAt().toString());
        row.addProperty("version", 1);
        row.addProperty("is_ai_generated", generated);
        row.addProperty("review_status", "pending");
        items.put(item.itemId(), row);
        String source = generated ? "AI Generated" : "";
        item.examples().forEach(example -> add(item.itemId(), sourced(example, source), event));
    }

    private static Example sourced(Example example, String source) {
        return new Example(
                example.exampleId(),
                example.sentence(),
                example.translation(),
                example.source().isEmpty() ? source : example.source(),
                example.tags());
    }

    private void update(ItemUpdated updated, EventEnvelope event) {
        JsonObject row = Optional.ofNullable(items.get(updated.itemId()))
                .orElseGet(() -> changes.computeIfAbsent(updated.itemId(), EntryRows::ofItem));
        for (Map.Entry<String, JsonElement> member :
                EventCodec.change(updated.change()).entrySet()) {
            row.add(member.getKey(), member.getValue());
        }
        row.addProperty("version", updated.itemVersion());
        row.addProperty("updated_at", event.occurredAt().toString());
    }

    private static JsonObject ofItem(String itemId) {
        JsonObject row = new JsonObject();
        row.addProperty("item_id", itemId);
        return row;
    }

    private void delete(String itemId) {
        changes.remove(itemId);
        examples.values().removeIf(row -> row.get("item_id").getAsString().equals(itemId));
        if (items.remove(itemId) == null) {
            deletions.add(itemId);
        }
    }

    private void add(String itemId, Example example, EventEnvelope event) {
        JsonObject row = created(event);
        row.addProperty("example_id", example.exampleId());
        row.addProperty("item_id", itemId);
        row.addProperty("sentence", example.sentence());
        row.addProperty("translation", example.translation());
        row.addProperty("source", example.source());
        row.add("tags", EventCodec.array(example.tags()));
        examples.put(example.exampleId(), row);
    }

    /** Returns the entry, if it is new. */
    Optional<JsonObject> entry() {
        return entry;
    }

    List<JsonObject> items() {
        return List.copyOf(items.values());
    }

    /** Returns existing items with the columns that change. */
    List<JsonObject> changes() {
        return List.copyOf(changes.values());
    }

    /** Returns the ids of existing items that are deleted. */
    Set<String> deletions() {
        return deletions;
    }

    List<JsonObject> examples() {
        return List.copyOf(examples.values());
    }

    /** Returns the columns of the entry that depend on its last event. */
    JsonObject last() {
        return last;
    }
}
