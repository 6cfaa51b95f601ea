package dev.spream.examples.vocabulary;

import dev.spream.examples.vocabulary.Command.AddExample;
import dev.spream.examples.vocabulary.Command.AddItem;
import dev.spream.examples.vocabulary.Command.CreateEntry;
import dev.spream.examples.vocabulary.Command.GenerateItems;
import dev.spream.examples.vocabulary.Command.UpdateItem;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses bodies of requests into commands. Ids of new parts are derived from the request's key, so that the same
 * request gives the same command. An invalid body is an {@link IllegalArgumentException}.
 */
final class Requests {
    static final int MAX_BODY = 2 << 20;
    static final int MAX_ITEMS = 1_000;
    static final int MAX_EXAMPLES = 20;
    static final int MAX_ID = 64;

    private static final int MAX_WORD = 100;
    private static final int MAX_TEXT = 2_000;
    private static final int MAX_LABELS = 20;
    private static final int MAX_LABEL = 50;

    private Requests() {}

    static CreateEntry createEntry(String body) {
        Fields fields = Fields.of(body);
        CreateEntry command = new CreateEntry(word(fields));
        fields.requireNoOthers();
        return command;
    }

    static Word word(Fields fields) {
        return new Word(
                fields.text("word", MAX_WORD),
                fields.optionalText("reading", MAX_WORD).orElse(""),
                fields.choice("part_of_speech", Word.PARTS_OF_SPEECH));
    }

    static Versioned addItem(String body, RequestIds ids) {
        Fields fields = Fields.of(body);
        Versioned command = new Versioned(fields.version("version"), new AddItem(item(fields, ids.item(0), List.of())));
        fields.requireNoOthers();
        return command;
    }

    static Item item(Fields fields, String id, List<Example> examples) {
        return new Item(
                id,
                fields.text("definition", MAX_TEXT),
                fields.choice("difficulty", Item.DIFFICULTIES),
                fields.texts("categories", MAX_LABELS, MAX_LABEL),
                fields.texts("tags", MAX_LABELS, MAX_LABEL),
                examples);
    }

    static Versioned updateItem(String itemId, String body) {
        Fields fields = Fields.of(body);
        long version = fields.version("version");
        ItemChange change = change(fields);
        fields.requireNoOthers();
        if (change.isEmpty()) {
            throw new IllegalArgumentException("the body changes nothing");
        }
        return new Versioned(version, new UpdateItem(itemId, change));
    }

    static ItemChange change(Fields fields) {
        return new ItemChange(
                fields.optionalText("definition", MAX_TEXT),
                fields.optionalChoice("difficulty", Item.DIFFICULTIES),
                fields.optionalTexts("categories", MAX_LABELS, MAX_LABEL),
                fields.optionalTexts("tags", MAX_LABELS, MAX_LABEL),
                fields.optionalChoice("review_status", ItemChange.REVIEW_STATUSES),
                fields.optionalShare("quality_score"));
    }

    static Versioned addExample(String itemId, String body, RequestIds ids) {
        Fields fields = Fields.of(body);
        Versioned command =
                new Versioned(fields.version("version"), new AddExample(itemId, example(fields, ids.example())));
        fields.requireNoOthers();
        return command;
    }

    static Example example(Fields fields, String id) {
        return new Example(
                id,
                fields.text("sentence", MAX_TEXT),
                fields.text("translation", MAX_TEXT),
                fields.optionalText("source", MAX_TEXT).orElse(""),
                fields.texts("tags", MAX_LABELS, MAX_LABEL));
    }

    static Versioned generateItems(String body, RequestIds ids) {
        Fields fields = Fields.of(body);
        long version = fields.version("version");
        List<Item> items = new ArrayList<>();
        for (Fields item : fields.objects("items", MAX_ITEMS)) {
            items.add(generated(item, ids.item(items.size())));
        }
        fields.requireNoOthers();
        if (items.isEmpty()) {
            throw new IllegalArgumentException("items must be a list of 1 to %,d".formatted(MAX_ITEMS));
        }
        return new Versioned(version, new GenerateItems(items));
    }

    private static Item generated(Fields fields, String id) {
        List<Example> examples = new ArrayList<>();
        for (Fields example : fields.objects("examples", MAX_EXAMPLES)) {
            examples.add(example(example, "%s-%d".formatted(id, examples.size())));
            example.requireNoOthers();
        }
        Item item = item(fields, id, examples);
        fields.requireNoOthers();
        return item;
    }

    /** A command with the version of the entry that its user has seen. */
    record Versioned(long version, Command command) {}
}
