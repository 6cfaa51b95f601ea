package dev.spream.examples.balance;

import dev.spream.core.record.JsonObject;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.NewEvent;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** A movement on an account, as an event: a deposit or a withdrawal. */
final class Movement {
    private static final String DEPOSITED = "MoneyDeposited";
    private static final String WITHDRAWN = "MoneyWithdrawn";

    static final Set<String> TYPES = Set.of(DEPOSITED, WITHDRAWN);

    private Movement() {}

    /** @param amount in cents, negative for a withdrawal */
    static NewEvent of(long amount) {
        return of(amount, Map.of());
    }

    /** Returns a movement on an account that belongs to a customer. */
    static NewEvent of(String customer, long amount) {
        return of(amount, Map.of("customer", customer));
    }

    private static NewEvent of(long amount, Map<String, String> more) {
        Map<String, Object> data = new TreeMap<>(more);
        data.put("amount", Math.abs(amount));
        return new NewEvent(
                UUID.randomUUID().toString(),
                amount < 0 ? WITHDRAWN : DEPOSITED,
                JsonObject.of(data).toString(),
                Instant.now(),
                new EventMetadata("", "", "balances", Optional.empty()));
    }

    /** Returns the customer that the account belongs to. */
    static String customer(EventEnvelope event) {
        return JsonObject.of(event.eventData())
                .string("customer")
                .orElseThrow(() -> new IllegalArgumentException(event + " has no customer"));
    }

    /** Returns the change of the balance, in cents. */
    static long amount(EventEnvelope event) {
        long amount = JsonObject.of(event.eventData())
                .int64("amount")
                .orElseThrow(() -> new IllegalArgumentException(event + " has no amount"));
        return event.eventType().equals(WITHDRAWN) ? -amount : amount;
    }
}
