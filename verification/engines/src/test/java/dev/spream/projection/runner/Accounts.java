package dev.spream.projection.runner;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.testkit.memory.InMemoryEventStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** Events of bank accounts, and what they come to. */
public final class Accounts {
    public static final Instant START = Instant.parse("2026-01-01T10:00:00Z");
    public static final String DEPOSITED = "Deposited";
    public static final String NOTED = "Noted";

    private static final AtomicLong IDS = new AtomicLong();

    private Accounts() {}

    /**
     * An account as a read model has it.
     *
     * @param history all its events' versions in the order in which they were applied
     */
    public record Balance(long amount, List<Long> history) {
        public static final Balance NONE = new Balance(0, List.of());

        public Balance {
            history = List.copyOf(history);
        }

        public Balance plus(EventEnvelope event) {
            List<Long> more = new ArrayList<>(history);
            more.add(event.eventVersion());
            return new Balance(amount + Long.parseLong(event.eventData()), more);
        }
    }

    public static NewEvent deposit(long amount) {
        return event(DEPOSITED, amount);
    }

    public static NewEvent event(String type, long amount) {
        return eventWithData(type, Long.toString(amount));
    }

    public static NewEvent eventWithData(String type, String data) {
        return new NewEvent("e" + IDS.incrementAndGet(), type, data, START, EventMetadata.NONE);
    }

    public static EventEnvelope deposit(String account, long version, long amount) {
        return deposit(amount).of(account, version);
    }

    public static void append(InMemoryEventStore store, String account, long... amounts) {
        for (long amount : amounts) {
            store.append(account, ExpectedVersion.any(), List.of(deposit(amount)));
        }
    }

    /** Returns the expected read model. */
    public static Map<String, Balance> fold(InMemoryEventStore store) {
        Map<String, Balance> balances = new TreeMap<>();
        for (RecordedEvent recorded : store.readAll(0, Integer.MAX_VALUE)) {
            EventEnvelope event = recorded.event();
            balances.put(
                    event.aggregateId(),
                    balances.getOrDefault(event.aggregateId(), Balance.NONE).plus(event));
        }
        return balances;
    }
}
