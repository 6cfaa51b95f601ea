package dev.spream.examples.balance;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.storage.jdbc.rollup.Rollup;

/**
 * The total of every customer over all of the customer's accounts. Accounts of one customer are in several segments,
 * which write the customer's row concurrently.
 */
public final class CustomerTotals {
    private CustomerTotals() {}

    public static Rollup<EventEnvelope> rollup() {
        return Rollup.into("customer_totals")
                .eventTypes(Movement.TYPES)
                .key("customer", Movement::customer)
                .sum("total", Movement::amount)
                .count("movements")
                .build();
    }
}
