package dev.spream.examples.vocabulary;

import java.util.List;
import java.util.Set;

/**
 * An event of an entry of the vocabulary. It has all that its projections need, so that they need no query. Its name in
 * the store is that of its class.
 */
sealed interface VocabularyEvent {
    /** The names of all. */
    Set<String> TYPES = Set.of(
            "EntryCreated", "ItemAddedToEntry", "ItemUpdated", "ItemDeleted", "ExampleAdded", "ItemsGeneratedWithAI");

    /** The first of each entry. */
    record EntryCreated(Word word) implements VocabularyEvent {}

    /** A contributor has added a meaning. */
    record ItemAddedToEntry(Word word, Item item) implements VocabularyEvent {}

    /**
     * Something of an item is another.
     *
     * @param itemVersion how many events have changed the item, that which added it included: 2 for the first of these
     */
    record ItemUpdated(String itemId, long itemVersion, ItemChange change) implements VocabularyEvent {}

    /** The item is gone, and its examples with it. */
    record ItemDeleted(String itemId) implements VocabularyEvent {}

    /** A sentence that shows how the item is used. */
    record ExampleAdded(String itemId, Example example) implements VocabularyEvent {}

    /** Items of a model, each perhaps with examples, all in one event. */
    record ItemsGeneratedWithAI(Word word, List<Item> items) implements VocabularyEvent {
        public ItemsGeneratedWithAI {
            items = List.copyOf(items);
        }
    }

    default String type() {
        return getClass().getSimpleName();
    }
}
