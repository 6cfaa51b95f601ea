package dev.spream.examples.vocabulary;

import dev.spream.examples.vocabulary.Command.AddExample;
import dev.spream.examples.vocabulary.Command.AddItem;
import dev.spream.examples.vocabulary.Command.CreateEntry;
import dev.spream.examples.vocabulary.Command.DeleteItem;
import dev.spream.examples.vocabulary.Command.GenerateItems;
import dev.spream.examples.vocabulary.Command.UpdateItem;
import dev.spream.examples.vocabulary.Refusal.Reason;
import dev.spream.examples.vocabulary.VocabularyEvent.EntryCreated;
import dev.spream.examples.vocabulary.VocabularyEvent.ExampleAdded;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemAddedToEntry;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemDeleted;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemUpdated;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemsGeneratedWithAI;
import dev.spream.projection.event.EventEnvelope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The state of an entry that commands are validated against, folded from its events. Confined to one thread. */
final class Entry {
    private final Map<String, Long> itemVersions = new HashMap<>();
    private Optional<Word> word = Optional.empty();

    private Entry() {}

    /** @param history its events from the first on */
    static Entry of(List<EventEnvelope> history) {
        Entry entry = new Entry();
        history.forEach(event -> entry.apply(EventCodec.read(event)));
        return entry;
    }

    private void apply(VocabularyEvent event) {
        switch (event) {
            case EntryCreated created -> word = Optional.of(created.word());
            case ItemAddedToEntry added -> itemVersions.put(added.item().itemId(), 1L);
            case ItemUpdated updated -> itemVersions.put(updated.itemId(), updated.itemVersion());
            case ItemDeleted deleted -> itemVersions.remove(deleted.itemId());
            case ExampleAdded added -> {}
            case ItemsGeneratedWithAI generated ->
                generated.items().forEach(item -> itemVersions.put(item.itemId(), 1L));
        }
    }

    /**
     * Returns the event of the command.
     *
     * @throws Refusal if the command refers to something that does not exist
     */
    VocabularyEvent decide(Command command) {
        return switch (command) {
            case CreateEntry create -> new EntryCreated(create.word());
            case AddItem add -> new ItemAddedToEntry(word(), add.item());
            case UpdateItem update -> new ItemUpdated(update.itemId(), versionOf(update.itemId()) + 1, update.change());
            case DeleteItem delete -> {
                versionOf(delete.itemId());
                yield new ItemDeleted(delete.itemId());
            }
            case AddExample add -> {
                versionOf(add.itemId());
                yield new ExampleAdded(add.itemId(), add.example());
            }
            case GenerateItems generate -> new ItemsGeneratedWithAI(word(), generate.items());
        };
    }

    private Word word() {
        return word.orElseThrow(() -> new Refusal(Reason.NOT_FOUND, "There is no such entry."));
    }

    private long versionOf(String itemId) {
        return Optional.ofNullable(itemVersions.get(itemId))
                .orElseThrow(() -> new Refusal(Reason.NOT_FOUND, "The entry has no such item in that version."));
    }
}
