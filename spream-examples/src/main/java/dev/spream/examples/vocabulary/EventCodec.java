package dev.spream.examples.vocabulary;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.spream.examples.vocabulary.VocabularyEvent.EntryCreated;
import dev.spream.examples.vocabulary.VocabularyEvent.ExampleAdded;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemAddedToEntry;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemDeleted;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemUpdated;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemsGeneratedWithAI;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionFailure;
import dev.spream.projection.event.EventEnvelope;
import java.util.List;

/** Events as the JSON texts that stores keep. Members that a later version of the service writes are passed over. */
final class EventCodec {
    private EventCodec() {}

    static String write(VocabularyEvent event) {
        JsonObject data =
                switch (event) {
                    case EntryCreated created -> word(created.word());
                    case ItemAddedToEntry added -> {
                        JsonObject all = word(added.word());
                        all.add("item", item(added.item()));
                        yield all;
                    }
                    case ItemUpdated updated -> {
                        JsonObject all = ofItem(updated.itemId());
                        all.addProperty("item_version", updated.itemVersion());
                        all.add("change", change(updated.change()));
                        yield all;
                    }
                    case ItemDeleted deleted -> ofItem(deleted.itemId());
                    case ExampleAdded added -> {
                        JsonObject all = ofItem(added.itemId());
                        all.add("example", example(added.example()));
                        yield all;
                    }
                    case ItemsGeneratedWithAI generated -> {
                        JsonObject all = word(generated.word());
                        JsonArray items = new JsonArray();
                        generated.items().forEach(item -> items.add(item(item)));
                        all.add("items", items);
                        yield all;
                    }
                };
        return data.toString();
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
        JsonArray examples = new JsonArray();
        item.examples().forEach(example -> examples.add(example(example)));
        object.add("examples", examples);
        return object;
    }

    private static JsonObject example(Example example) {
        JsonObject object = new JsonObject();
        object.addProperty("example_id", example.exampleId());
        object.addProperty("sentence", example.sentence());
        object.addProperty("translation", example.translation());
        if (!example.source().isEmpty()) {
            object.addProperty("source", example.source());
        }
        object.add("tags", array(example.tags()));
        return object;
    }

    /** What is to be another, by the names that the read model has as well. */
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

    static JsonArray array(List<String> texts) {
        JsonArray array = new JsonArray();
        texts.forEach(array::add);
        return array;
    }

    /**
     * The event that an envelope has in it.
     *
     * @throws IllegalArgumentException if it is none of this vocabulary; the message has nothing of its data
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
     * The same for a projection.
     *
     * @throws ProjectionFailure if it is none of this vocabulary: somebody has to look at it, and reads what is wrong with it
     */
    static VocabularyEvent readForProjection(EventEnvelope envelope) {
        try {
            return read(envelope);
        } catch (IllegalArgumentException e) {
            throw new ProjectionFailure(
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
