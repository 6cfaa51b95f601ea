package dev.spream.examples.balance;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.storage.jdbc.table.TableProjection;

/**
 * The total of every customer over all of the customer's accounts. Accounts of one customer are in several segments,
 * which write the customer's row concurrently.
 */
public final class CustomerTotals {
    private CustomerTotals() {}

    public static TableProjection<EventEnvelope> projection() {
        return TableProjection.table("customer_totals", Movement.TYPES)
                .key("customer", Movement::customer)
                .sum("total", Movement::amount)
                .count("movements")
                .build();
    }
}
