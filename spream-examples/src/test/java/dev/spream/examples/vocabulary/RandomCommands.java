package dev.spream.examples.vocabulary;

import dev.spream.examples.vocabulary.Command.AddExample;
import dev.spream.examples.vocabulary.Command.AddItem;
import dev.spream.examples.vocabulary.Command.CreateEntry;
import dev.spream.examples.vocabulary.Command.DeleteItem;
import dev.spream.examples.vocabulary.Command.GenerateItems;
import dev.spream.examples.vocabulary.Command.UpdateItem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/** Commands that make sense, for one entry, one after the other; all from a seed. Confined to one thread. */
final class RandomCommands {
    private static final List<String> DIFFICULTIES = List.copyOf(new TreeSet<>(Item.DIFFICULTIES));
    private static final List<String> STATUSES = List.copyOf(new TreeSet<>(ItemChange.REVIEW_STATUSES));
    private static final List<String> CATEGORIES = List.of("food", "nature", "people", "time", "travel");

    private final RandomGenerator random;
    private final String name;
    private final List<String> items = new ArrayList<>();
    private int number;

    RandomCommands(RandomGenerator random, String name) {
        this.random = random;
        this.name = name;
    }

    CreateEntry create() {
        return new CreateEntry(new Word("word " + name, "reading " + name, "noun"));
    }

    Command next() {
        number++;
        int kind = items.isEmpty() ? 0 : random.nextInt(10);
        return switch (kind) {
            case 0, 1, 2 -> new AddItem(item("i-%s-%d".formatted(name, number), 0));
            case 3 -> generate();
            case 4, 5 -> new UpdateItem(any(items), change());
            case 6, 7 -> new DeleteItem(items.remove(random.nextInt(items.size())));
            default -> new AddExample(any(items), example("x-%s-%d".formatted(name, number)));
        };
    }

    private GenerateItems generate() {
        List<Item> generated = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(5); i++) {
            generated.add(item("g-%s-%d-%d".formatted(name, number, i), random.nextInt(3)));
        }
        return new GenerateItems(generated);
    }

    private Item item(String id, int examples) {
        items.add(id);
        List<Example> its = new ArrayList<>();
        for (int i = 0; i < examples; i++) {
            its.add(example(id + "-" + i));
        }
        return new Item(id, "definition " + random.nextInt(1_000), any(DIFFICULTIES), categories(), List.of(), its);
    }

    private List<String> categories() {
        return CATEGORIES.stream().filter(category -> random.nextInt(3) == 0).toList();
    }

    private Example example(String id) {
        return new Example(id, "sentence " + random.nextInt(1_000), "translation", "", List.of());
    }

    private ItemChange change() {
        return new ItemChange(
                maybe("changed " + random.nextInt(1_000)),
                maybe(any(DIFFICULTIES)),
                maybe(categories()),
                Optional.empty(),
                Optional.of(any(STATUSES)),
                maybe(random.nextInt(101) / 100.0));
    }

    private <T> Optional<T> maybe(T value) {
        return random.nextBoolean() ? Optional.of(value) : Optional.empty();
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
