package dev.spream.examples.vocabulary;

import java.util.List;

/** A request to change an entry. */
sealed interface Command {
    record CreateEntry(Word word) implements Command {}

    record AddItem(Item item) implements Command {}

    record UpdateItem(String itemId, ItemChange change) implements Command {}

    record DeleteItem(String itemId) implements Command {}

    record AddExample(String itemId, Example example) implements Command {}

    record GenerateItems(List<Item> items) implements Command {
        public GenerateItems {
            items = List.copyOf(items);
        }
    }
}
