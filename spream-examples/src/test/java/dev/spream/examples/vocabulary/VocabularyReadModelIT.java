package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.examples.vocabulary.Command.AddItem;
import dev.spream.examples.vocabulary.Command.CreateEntry;
import dev.spream.examples.vocabulary.Command.DeleteItem;
import dev.spream.examples.vocabulary.Command.GenerateItems;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.servers.PostgresDatabase;
import dev.spream.testkit.memory.InMemoryEventStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/** The read model on PostgreSQL, its projection called as a store calls it. */
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
final class VocabularyReadModelIT {
    private static final int SEEDS = Integer.getInteger("vocabulary.rounds", 2);
    private static final int ENTRIES = 5;
    private static final int COMMANDS = 60;

    private final VocabularyReadModel projection = new VocabularyReadModel();
    private final DataSource database = PostgresDatabase.create().source();
    private InMemoryEventStore store = new InMemoryEventStore();
    private EntryCommands commands = commands();

    @BeforeAll
    void createTables() throws Exception {
        VocabularyTables.create(database);
    }

    @BeforeEach
    void empty() throws Exception {
        store = new InMemoryEventStore();
        commands = commands();
        execute("TRUNCATE vocabulary_entries CASCADE");
    }

    private EntryCommands commands() {
        return new EntryCommands(new StoredEntryLog(store), InstantSource.system());
    }

    private void execute(String sql) throws Exception {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void random_events_in_random_batches_give_the_expected_read_model() throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            empty();
            SplittableRandom random = new SplittableRandom(seed);
            commandAtRandom(random);
            List<EventEnvelope> events = events();
            for (int from = 0; from < events.size(); ) {
                int to = Math.min(events.size(), from + 1 + random.nextInt(40));
                write(events.subList(from, to));
                from = to;
            }
            ReadModelJudge.judge(database, events);
        }
    }

    private void commandAtRandom(SplittableRandom random) {
        for (int entry = 0; entry < ENTRIES; entry++) {
            RandomCommands next = new RandomCommands(random, String.valueOf(entry));
            String id = commands.create(next.create(), new RequestIds("u", "entry " + entry))
                    .aggregateId();
            for (int version = 1; version <= COMMANDS; version++) {
                commands.handle(id, version, next.next(), new RequestIds("u", entry + " " + version));
            }
        }
    }

    private List<EventEnvelope> events() {
        return store.readAll(0, Integer.MAX_VALUE).stream()
                .map(RecordedEvent::event)
                .toList();
    }

    /** As the store does it: what a batch has of each aggregate is folded, and all is written at once, or nothing. */
    private int write(List<EventEnvelope> batch) throws Exception {
        Map<String, EntryRows> folded = new TreeMap<>();
        for (EventEnvelope event : batch) {
            folded.put(event.aggregateId(), projection.fold(folded.get(event.aggregateId()), event));
        }
        AtomicInteger statements = new AtomicInteger();
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            projection.write(counting(connection, statements), folded);
            connection.commit();
        }
        return statements.get();
    }

    private static Connection counting(Connection connection, AtomicInteger statements) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                        statements.incrementAndGet();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void a_thousand_generated_items_are_some_few_statements() throws Exception {
        String entry = commands.create(word("水"), new RequestIds("u", "a")).aggregateId();
        List<Item> items = IntStream.range(0, Requests.MAX_ITEMS)
                .mapToObj(i -> new Item(
                        "i" + i,
                        "definition",
                        "beginner",
                        List.of("food"),
                        List.of(),
                        List.of(new Example("x" + i, "sentence", "translation", "", List.of()))))
                .toList();
        commands.handle(entry, 1, new GenerateItems(items), new RequestIds("u", "b"));
        assertThat(write(events())).isEqualTo(5);
        ReadModelJudge.judge(database, events());
        assertThat(ReadModelJudge.rows(
                        database, "SELECT concat_ws(' ', item_count, total_examples) FROM vocabulary_entries"))
                .containsExactly("1000 1000");
    }

    private static CreateEntry word(String word) {
        return new CreateEntry(new Word(word, "", "noun"));
    }

    @Test
    void an_event_whose_predecessor_is_missing_changes_nothing() throws Exception {
        String entry = commands.create(word("水"), new RequestIds("u", "a")).aggregateId();
        Item item = new Item("i-1", "water", "beginner", List.of(), List.of(), List.of());
        commands.handle(entry, 1, new AddItem(item), new RequestIds("u", "b"));
        commands.handle(entry, 2, new DeleteItem("i-1"), new RequestIds("u", "c"));
        List<EventEnvelope> events = events();
        assertThatThrownBy(() -> write(events.subList(1, 2))).hasMessageContaining("vocabulary_items_entry_id_fkey");
        write(events.subList(0, 1));
        assertThatThrownBy(() -> write(events.subList(2, 3)))
                .isInstanceOf(ProjectionException.class)
                .hasMessageContaining("an earlier event is missing");
        ReadModelJudge.judge(database, events.subList(0, 1));
    }

    @Test
    void another_set_of_tables_is_built_where_the_search_path_says() throws Exception {
        commandAtRandom(new SplittableRandom(1));
        List<String> schemas = new ArrayList<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("CREATE SCHEMA other");
            statement.execute("SET LOCAL search_path = other");
            projection.create(connection);
            try (var rows = statement.executeQuery(
                    "SELECT tablename FROM pg_tables WHERE schemaname = 'other' ORDER BY tablename")) {
                while (rows.next()) {
                    schemas.add(rows.getString(1));
                }
            }
            connection.rollback();
        }
        assertThat(schemas).containsExactlyInAnyOrderElementsOf(projection.tables());
    }
}
