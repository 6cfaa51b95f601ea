package dev.spream.examples.order;

import com.google.gson.JsonObject;
import dev.spream.examples.http.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The actions of a broker for each key. Safe for use by many threads. */
final class BrokerJournal {
    private final Map<String, Page> pages = new LinkedHashMap<>(); // guarded by this, as are all fields below
    private final List<String> effects = new ArrayList<>();

    private static final class Page {
        private int requests;
        private int effects;
        private int underWay;
        private long place;
    }

    /**
     * The line of one key in the book.
     *
     * @param requests the number of requests
     * @param effects how often the order was executed: once if all is well, and not at all if it was rejected
     */
    record Line(String key, int requests, int effects) {}

    /** The state of a key at the broker. */
    enum Knowledge {
        TAKEN,
        /** A request is in progress, and not executed yet. */
        UNDER_WAY,
        UNKNOWN
    }

    synchronized void begin(String key) {
        Page page = pages.computeIfAbsent(key, unknown -> new Page());
        page.requests++;
        page.underWay++;
    }

    /** Ends a request with any result. */
    synchronized void end(String key) {
        page(key).underWay--;
    }

    /**
     * Executes an order, unless it was executed already and keys are recognised.
     *
     * @return its place among all executed orders, from 1
     */
    synchronized long take(String key, boolean recognised) {
        Page page = page(key);
        if (page.effects == 0 || !recognised) {
            page.effects++;
            effects.add(key);
            page.place = effects.size();
        }
        return page.place;
    }

    private Page page(String key) {
        return Optional.ofNullable(pages.get(key)).orElseThrow();
    }

    /** Returns the place of an executed order. */
    synchronized Optional<Long> place(String key) {
        return Optional.ofNullable(pages.get(key))
                .filter(page -> page.effects > 0)
                .map(page -> page.place);
    }

    synchronized Knowledge knowledge(String key) {
        Page page = pages.getOrDefault(key, new Page());
        if (page.effects > 0) {
            return Knowledge.TAKEN;
        }
        return page.underWay > 0 ? Knowledge.UNDER_WAY : Knowledge.UNKNOWN;
    }

    /** Returns the keys in the order of their first requests. */
    synchronized List<Line> lines() {
        List<Line> lines = new ArrayList<>(pages.size());
        pages.forEach((key, page) -> lines.add(new Line(key, page.requests, page.effects)));
        return lines;
    }

    /** Returns the keys in the order of execution, each as often as it was executed. */
    synchronized List<String> effects() {
        return List.copyOf(effects);
    }

    JsonObject json() {
        JsonObject json = new JsonObject();
        json.add("orders", Json.array(lines(), BrokerJournal::json));
        return json;
    }

    private static JsonObject json(Line line) {
        JsonObject order = new JsonObject();
        order.addProperty("key", line.key());
        order.addProperty("requests", line.requests());
        order.addProperty("effects", line.effects());
        return order;
    }
}
