package dev.spream.examples.vocabulary;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.spream.examples.http.Json;
import dev.spream.examples.vocabulary.VocabularyEvent.EntryCreated;
import dev.spream.examples.vocabulary.VocabularyEvent.ExampleAdded;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemAddedToEntry;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemDeleted;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemUpdated;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemsGeneratedWithAI;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.event.EventEnvelope;
import java.util.Collection;
import java.util.List;

/** Encodes events as the JSON texts that stores keep. Members from a later version of the service are ignored. */
final class EventCodec {
    private EventCodec() {}

    static String write(VocabularyEvent event) {
        JsonObject data =
                switch (event) {
                    case EntryCreated created -> word(created.word());
                    case ItemAddedToEntry added -> with(word(added.word()), "item", item(added.item()));
                    case ItemUpdated updated -> {
                        JsonObject all = ofItem(updated.itemId());
                        all.addProperty("item_version", updated.itemVersion());
                        yield with(all, "change", change(updated.change()));
                    }
                    case ItemDeleted deleted -> ofItem(deleted.itemId());
                    case ExampleAdded added -> with(ofItem(added.itemId()), "example", example(added.example()));
                    case ItemsGeneratedWithAI generated ->
                        with(word(generated.word()), "items", Json.array(generated.items(), EventCodec::item));
                };
        return data.toString();
    }

    private static JsonObject with(JsonObject object, String member, JsonElement value) {
        object.add(member, value);
        return object;
    }

    private static JsonObject word(Word word) {
        JsonObject object = new JsonObject();
        object.addProperty("word", word.word());
        if (!word.reading().isEmpty()) {
            object.addProperty("reading", word.reading());
        }
        object.addProperty("part_of_speech", word.partOfSpeech());
        return object;
    }

    private static JsonObject ofItem(String itemId) {
        JsonObject object = new JsonObject();
        object.addProperty("item_id", itemId);
        return object;
    }

    private static JsonObject item(Item item) {
        JsonObject object = ofItem(item.itemId());
        object.addProperty("definition", item.definition());
        object.addProperty("difficulty", item.difficulty());
        object.add("categories", array(item.categories()));
        object.add("tags", array(item.tags()));
        return with(object, "examples", Json.array(item.examples(), EventCodec::example));
    }

    private static JsonObject example(Example example) {
        JsonObject object = new JsonObject();
        object.addProperty("example_id", example.exampleId());
        object.addProperty("sentence", example.sentence());
        object.addProperty("translation", example.translation());
        if (!example.source().isEmpty()) {
            object.addProperty("source", example.source());
        }
        return with(object, "tags", array(example.tags()));
    }

    /** Returns the changed fields, by the names that the read model uses as well. */
    static JsonObject change(ItemChange change) {
        JsonObject object = new JsonObject();
        change.definition().ifPresent(value -> object.addProperty("definition", value));
        change.difficulty().ifPresent(value -> object.addProperty("difficulty", value));
        change.categories().ifPresent(value -> object.add("categories", array(value)));
        change.tags().ifPresent(value -> object.add("tags", array(value)));
        change.reviewStatus().ifPresent(value -> object.addProperty("review_status", value));
        change.qualityScore().ifPresent(value -> object.addProperty("quality_score", value));
        return object;
    }

    static JsonArray array(Collection<String> texts) {
        return Json.array(texts, JsonPrimitive::new);
    }

    /**
     * Returns the event of an envelope.
     *
     * @throws IllegalArgumentException if it is not an event of this vocabulary; the message contains none of its data
     */
    static VocabularyEvent read(EventEnvelope envelope) {
        Fields data = Fields.of(envelope.eventData());
        return switch (envelope.eventType()) {
            case "EntryCreated" -> new EntryCreated(Requests.word(data));
            case "ItemAddedToEntry" -> new ItemAddedToEntry(Requests.word(data), readItem(data.object("item")));
            case "ItemUpdated" ->
                new ItemUpdated(itemId(data), data.version("item_version"), Requests.change(data.object("change")));
            case "ItemDeleted" -> new ItemDeleted(itemId(data));
            case "ExampleAdded" -> new ExampleAdded(itemId(data), readExample(data.object("example")));
            case "ItemsGeneratedWithAI" ->
                new ItemsGeneratedWithAI(
                        Requests.word(data),
                        data.objects("items", Requests.MAX_ITEMS).stream()
                                .map(EventCodec::readItem)
                                .toList());
            default -> throw new IllegalArgumentException("there is no event of type " + envelope.eventType());
        };
    }

    /**
     * Returns the event of an envelope, for a projection.
     *
     * @throws ProjectionException if it is not an event of this vocabulary; the message describes the problem for the
     * operator
     */
    static VocabularyEvent readForProjection(EventEnvelope envelope) {
        try {
            return read(envelope);
        } catch (IllegalArgumentException e) {
            throw new ProjectionException(
                    FailureKind.POISON,
                    "the event's data cannot be read as %s: %s".formatted(envelope.eventType(), e.getMessage()),
                    e);
        }
    }

    private static String itemId(Fields data) {
        return data.text("item_id", Requests.MAX_ID);
    }

    private static Item readItem(Fields item) {
        List<Example> examples = item.objects("examples", Requests.MAX_EXAMPLES).stream()
                .map(EventCodec::readExample)
                .toList();
        return Requests.item(item, itemId(item), examples);
    }

    private static Example readExample(Fields example) {
        return Requests.example(example, example.text("example_id", Requests.MAX_ID));
    }
}
