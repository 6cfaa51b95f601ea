package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.examples.vocabulary.VocabularyEvent.EntryCreated;
import dev.spream.examples.vocabulary.VocabularyEvent.ExampleAdded;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemAddedToEntry;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemDeleted;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemUpdated;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemsGeneratedWithAI;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.sql.DataSource;

/** Says what is wrong with the read model: what it counts against its rows, and its rows against the events, by other means. */
final class ReadModelJudge {
    private static final String DRIFTED = """
            SELECT 'entry ' || entry_id FROM vocabulary_entries AS entry
            WHERE item_count <> (SELECT count(*) FROM vocabulary_items AS i WHERE i.entry_id = entry.entry_id)
               OR total_examples <> (
                    SELECT count(*) FROM vocabulary_examples AS x JOIN vocabulary_items AS i USING (item_id)
                    WHERE i.entry_id = entry.entry_id)
               OR difficulty_distribution <> (
                    SELECT coalesce(jsonb_object_agg(difficulty, n), '{}') FROM (
                        SELECT difficulty, count(*) AS n FROM vocabulary_items AS i
                        WHERE i.entry_id = entry.entry_id GROUP BY difficulty) AS d)
               OR category_distribution <> (
                    SELECT coalesce(jsonb_object_agg(category, n), '{}') FROM (
                        SELECT category, count(*) AS n FROM (
                            SELECT unnest(categories) AS category FROM vocabulary_items AS i
                            WHERE i.entry_id = entry.entry_id) AS c
                        GROUP BY category) AS d)
            UNION ALL
            SELECT 'item ' || item_id FROM vocabulary_items AS item
            WHERE example_count <> (SELECT count(*) FROM vocabulary_examples AS x WHERE x.item_id = item.item_id)""";
    private static final String ROWS = """
            SELECT concat_ws('|', 'entry', entry_id, word, version) FROM vocabulary_entries
            UNION ALL
            SELECT concat_ws('|', 'item', entry_id, item_id, definition, difficulty, array_to_string(categories, ','),
                review_status, is_ai_generated, version) FROM vocabulary_items
            UNION ALL
            SELECT concat_ws('|', 'example', item_id, example_id, sentence) FROM vocabulary_examples""";

    private ReadModelJudge() {}

    /** Nothing has drifted, and the rows are those that the events come to. */
    static void judge(DataSource database, List<EventEnvelope> events) throws SQLException {
        assertThat(rows(database, DRIFTED)).as("what has drifted").isEmpty();
        assertThat(new TreeSet<>(rows(database, ROWS))).isEqualTo(expected(events));
    }

    /** All events of the event store in that database, in their order. */
    static List<EventEnvelope> events(DataSource database) {
        try (JdbcEventStore store = JdbcEventStore.create(database)) {
            return store.readAll(0, Integer.MAX_VALUE).stream()
                    .map(RecordedEvent::event)
                    .toList();
        }
    }

    /** Returns the result of a search for all items, as id and definition. */
    static Set<String> found(DataSource database) throws SQLException {
        return new TreeSet<>(rows(database, "SELECT concat_ws('|', item_id, definition) FROM vocabulary_items"));
    }

    static List<String> rows(DataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getString(1));
            }
            return all;
        }
    }

    private static Set<String> expected(List<EventEnvelope> events) {
        Map<String, String> entries = new TreeMap<>();
        Map<String, String> items = items(events);
        Set<String> rows = new TreeSet<>();
        for (EventEnvelope event : events) {
            switch (EventCodec.read(event)) {
                case EntryCreated created ->
                    entries.put(event.aggregateId(), created.word().word());
                case ExampleAdded added -> addExample(rows, items, added.itemId(), added.example());
                case ItemAddedToEntry added ->
                    added.item()
                            .examples()
                            .forEach(x -> addExample(rows, items, added.item().itemId(), x));
                case ItemsGeneratedWithAI generated ->
                    generated
                            .items()
                            .forEach(item -> item.examples().forEach(x -> addExample(rows, items, item.itemId(), x)));
                case ItemUpdated updated -> {}
                case ItemDeleted deleted -> {}
            }
        }
        Map<String, Long> versions = new TreeMap<>();
        events.forEach(event -> versions.merge(event.aggregateId(), event.eventVersion(), Math::max));
        entries.forEach((id, word) -> rows.add("entry|%s|%s|%d".formatted(id, word, versions.get(id))));
        rows.addAll(items.values());
        return rows;
    }

    private static void addExample(Set<String> rows, Map<String, String> items, String itemId, Example example) {
        if (items.containsKey(itemId)) {
            rows.add("example|%s|%s|%s".formatted(itemId, example.exampleId(), example.sentence()));
        }
    }

    /** The items that are left, as rows. */
    static Map<String, String> items(List<EventEnvelope> events) {
        Map<String, Item> items = new TreeMap<>();
        Map<String, String> entryOf = new TreeMap<>();
        Map<String, Boolean> generatedBy = new TreeMap<>();
        Map<String, String> reviews = new TreeMap<>();
        Map<String, Long> versions = new TreeMap<>();
        for (EventEnvelope event : events) {
            switch (EventCodec.read(event)) {
                case ItemAddedToEntry added -> {
                    items.put(added.item().itemId(), added.item());
                    entryOf.put(added.item().itemId(), event.aggregateId());
                }
                case ItemsGeneratedWithAI generated ->
                    generated.items().forEach(item -> {
                        items.put(item.itemId(), item);
                        entryOf.put(item.itemId(), event.aggregateId());
                        generatedBy.put(item.itemId(), true);
                    });
                case ItemUpdated updated -> {
                    items.computeIfPresent(updated.itemId(), (id, item) -> changed(item, updated.change()));
                    updated.change().reviewStatus().ifPresent(status -> reviews.put(updated.itemId(), status));
                    versions.merge(updated.itemId(), 2L, (a, b) -> a + 1);
                }
                case ItemDeleted deleted -> items.remove(deleted.itemId());
                case EntryCreated created -> {}
                case ExampleAdded added -> {}
            }
        }
        Map<String, String> rows = new TreeMap<>();
        items.forEach((id, item) -> rows.put(
                id,
                String.join(
                        "|",
                        "item",
                        String.valueOf(entryOf.get(id)),
                        id,
                        item.definition(),
                        item.difficulty(),
                        String.join(",", item.categories()),
                        reviews.getOrDefault(id, "pending"),
                        generatedBy.getOrDefault(id, false) ? "t" : "f",
                        String.valueOf(versions.getOrDefault(id, 1L)))));
        return rows;
    }

    private static Item changed(Item item, ItemChange change) {
        return new Item(
                item.itemId(),
                change.definition().orElse(item.definition()),
                change.difficulty().orElse(item.difficulty()),
                change.categories().orElse(item.categories()),
                change.tags().orElse(item.tags()),
                item.examples());
    }
}
