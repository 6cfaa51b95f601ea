package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.examples.vocabulary.Command.AddExample;
import dev.spream.examples.vocabulary.Command.AddItem;
import dev.spream.examples.vocabulary.Command.CreateEntry;
import dev.spream.examples.vocabulary.Command.DeleteItem;
import dev.spream.examples.vocabulary.Command.UpdateItem;
import dev.spream.examples.vocabulary.Refusal.Reason;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemUpdated;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.testkit.memory.InMemoryEventStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class EntryCommandsTest {
    private static final CreateEntry WATER = new CreateEntry(new Word("水", "みず", "noun"));
    private static final ItemChange APPROVED = new ItemChange(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of("approved"),
            Optional.empty());

    private final InMemoryEventStore store = new InMemoryEventStore();
    private final EntryCommands commands =
            new EntryCommands(new StoredEntryLog(store), InstantSource.fixed(Instant.EPOCH));
    private final String entry = commands.create(WATER, key("create")).aggregateId();

    private static RequestIds key(String key) {
        return new RequestIds("u-1", key);
    }

    private static AddItem addItem(String id) {
        return new AddItem(new Item(id, "water", "beginner", List.of(), List.of(), List.of()));
    }

    @Test
    void each_command_is_one_event_of_the_next_version() {
        EventEnvelope added = commands.handle(entry, 1, addItem("i-1"), key("add"));
        EventEnvelope updated = commands.handle(entry, 2, new UpdateItem("i-1", APPROVED), key("update"));
        EventEnvelope deleted = commands.handle(entry, 3, new DeleteItem("i-1"), key("delete"));
        assertThat(List.of(added, updated, deleted))
                .extracting(EventEnvelope::eventVersion)
                .containsExactly(2L, 3L, 4L);
        assertThat(EventCodec.read(updated)).isEqualTo(new ItemUpdated("i-1", 2, APPROVED));
        assertThat(added.metadata().userId()).isEqualTo("u-1");
        assertThat(added.metadata().idempotencyKey()).contains("add");
    }

    @Test
    void a_command_that_comes_again_has_happened_already_even_after_others() {
        EventEnvelope added = commands.handle(entry, 1, addItem("i-1"), key("add"));
        commands.handle(entry, 2, new DeleteItem("i-1"), key("delete"));
        assertThat(commands.handle(entry, 1, addItem("i-1"), key("add"))).isEqualTo(added);
        assertThat(commands.create(WATER, key("create")).aggregateId()).isEqualTo(entry);
        assertThat(store.readAll(0, 100)).hasSize(3);
    }

    @Test
    void of_two_that_have_seen_the_same_version_the_second_is_refused() {
        commands.handle(entry, 1, addItem("i-1"), key("one"));
        refused(Reason.VERSION_CONFLICT, () -> commands.handle(entry, 1, addItem("i-2"), key("two")));
        refused(Reason.VERSION_CONFLICT, () -> commands.handle(entry, 7, addItem("i-2"), key("three")));
        assertThat(store.readAll(0, 100)).hasSize(2);
    }

    @Test
    void a_key_of_another_request_is_refused() {
        commands.handle(entry, 1, addItem("i-1"), key("key"));
        refused(
                Reason.IDEMPOTENCY_CONFLICT,
                () -> commands.handle(
                        entry,
                        1,
                        new AddItem(new Item("i-1", "fire", "beginner", List.of(), List.of(), List.of())),
                        key("key")));
        refused(Reason.IDEMPOTENCY_CONFLICT, () -> commands.handle(entry, 2, addItem("i-1"), key("key")));
        refused(
                Reason.IDEMPOTENCY_CONFLICT,
                () -> commands.create(new CreateEntry(new Word("火", "ひ", "noun")), key("create")));
    }

    @Test
    void a_missing_entry_or_item_cannot_be_changed() {
        refused(Reason.NOT_FOUND, () -> commands.handle("nobody", 1, addItem("i-1"), key("a")));
        refused(Reason.NOT_FOUND, () -> commands.handle(entry, 1, new UpdateItem("i-1", APPROVED), key("b")));
        commands.handle(entry, 1, addItem("i-1"), key("add"));
        commands.handle(entry, 2, new DeleteItem("i-1"), key("delete"));
        refused(Reason.NOT_FOUND, () -> commands.handle(entry, 3, new DeleteItem("i-1"), key("c")));
        Example example = new Example("x", "s", "t", "", List.of());
        refused(Reason.NOT_FOUND, () -> commands.handle(entry, 3, new AddExample("i-1", example), key("d")));
    }

    private static void refused(Reason reason, ThrowingCallable command) {
        assertThatThrownBy(command)
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.reason()).isEqualTo(reason));
    }
}
