package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.serialization.TypeRegistry;
import dev.spream.projection.ParkReason;
import dev.spream.projection.TypedProjection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.TypedEvents;
import dev.spream.serializer.jackson.JacksonSerializer;
import dev.spream.testkit.memory.InMemoryProjectionStore.Table;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of projections that receive events as values. */
final class TypedProjectionTest {
    private static final TypeRegistry TYPES = TypeRegistry.builder(JacksonSerializer.create())
            .type("Deposited", Deposited.class, data -> data.putIfAbsent("note", ""))
            .type("Withdrawn", Withdrawn.class)
            .type("CustomerMoved", CustomerMoved.class)
            .build();
    private static final TypedEvents<AccountEvent> EVENTS = TypedEvents.of(AccountEvent.class, TYPES);

    private final ManagerBench bench = new ManagerBench();

    sealed interface AccountEvent {}

    record Deposited(long amount, String note) implements AccountEvent {}

    record Withdrawn(long amount) implements AccountEvent {}

    record CustomerMoved(String city) {}

    /** Keeps the balances of accounts. */
    private record Balances(String name, TypedEvents<AccountEvent> events)
            implements TypedProjection<Transaction, AccountEvent> {
        @Override
        public void apply(Transaction transaction, AccountEvent event, EventEnvelope envelope) {
            Table<Long> table = transaction.table(name);
            long before = table.lock(envelope.aggregateId()).orElse(0L);
            table.put(
                    envelope.aggregateId(),
                    switch (event) {
                        case Deposited(long amount, String note) -> before + amount;
                        case Withdrawn(long amount) -> before - amount;
                    });
        }
    }

    @AfterEach
    void stop() {
        bench.close();
    }

    private void run(TypedEvents<AccountEvent> events) {
        bench.start(bench.database.store(), builder -> builder.add(new Balances("balances", events), bench.source));
    }

    private void append(String account, String type, String data) {
        bench.events.append(account, ExpectedVersion.any(), List.of(Accounts.eventWithData(type, data)));
    }

    private void awaitBalances(Map<String, Long> expected) {
        bench.await("the balances", () -> bench.database.<Long>table("balances").equals(expected));
    }

    @Test
    void events_of_the_class_are_applied_in_every_version_and_others_count_as_seen() {
        append("a", "Deposited", "{\"amount\": 7}");
        append("a", "CustomerMoved", "[\"read by nothing\"]");
        bench.events.append(
                "a", ExpectedVersion.exactly(2), EVENTS.newEvents(new Deposited(5, "cash"), new Withdrawn(2)));
        run(EVENTS);
        awaitBalances(Map.of("a", 10L));
        assertThat(bench.parked("balances")).isEmpty();
    }

    @Test
    void an_event_that_cannot_be_read_parks_its_aggregate_with_its_reason() {
        append("malformed", "Withdrawn", "{\"amount\": \"secret\"}");
        append("newer", "Deposited@3", "{}");
        append("unknown", "Closed", "{}");
        append("unknown", "Withdrawn", "{\"amount\": 1}");
        append("well", "Withdrawn", "{\"amount\": 3}");
        run(EVENTS);
        awaitBalances(Map.of("well", -3L));
        bench.awaitParked("balances", "malformed", ParkReason.POISON);
        bench.awaitParked("balances", "newer", ParkReason.POISON);
        bench.awaitParked("balances", "unknown", ParkReason.POISON);
        assertThat(bench.parked("balances"))
                .extracting(parked -> parked.error())
                .anyMatch(error ->
                        error.contains("is not a value of " + Withdrawn.class.getName()) && !error.contains("secret"))
                .anyMatch(error -> error.contains("'Deposited@3' has a newer version than this program"))
                .anyMatch(error -> error.contains("type 'Closed' is not registered"));
    }

    @Test
    void unknown_types_are_skipped_where_the_events_say_so_but_newer_versions_are_not() {
        append("newer", "Deposited@3", "{}");
        append("unknown", "Closed", "{}");
        append("unknown", "Withdrawn", "{\"amount\": 1}");
        run(EVENTS.skippingUnknownTypes());
        awaitBalances(Map.of("unknown", -1L));
        bench.awaitParked("balances", "newer", ParkReason.POISON);
        assertThat(bench.parked("balances")).hasSize(1);
    }
}
