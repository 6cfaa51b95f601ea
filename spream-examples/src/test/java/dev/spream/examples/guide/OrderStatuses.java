package dev.spream.examples.guide;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The latest status of each order. Safe for use by many threads; a change that comes again is harmless. */
final class OrderStatuses implements Consumer {
    private final Map<String, String> statuses = new ConcurrentHashMap<>();

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) {
        for (Mod mod : change.mods()) {
            String order = mod.keys().string("Id").orElseThrow();
            mod.newValues().string("Status").ifPresent(status -> statuses.put(order, status));
        }
    }

    Optional<String> of(String order) {
        return Optional.ofNullable(statuses.get(order));
    }
}
