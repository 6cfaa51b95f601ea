package dev.spream.examples.order;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** The actions of a broker for each key. Safe for use by many threads. */
final class BrokerBook {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Page> pages = new LinkedHashMap<>(); // guarded by lock, like all that follows
    private final List<String> effects = new ArrayList<>();

    /** The page of one key. */
    private static final class Page {
        private int requests;
        private int effects;
        private int underWay;
        private long place;
    }

    /**
     * What the book says of a key.
     *
     * @param requests how often it came
     * @param effects how often the order was carried out: once, if all is well, and not at all, if it was refused
     */
    record Line(String key, int requests, int effects) {}

    /** What the broker has of a key, when it is asked. */
    enum Knowledge {
        TAKEN,
        /** A request is there, and not carried out yet. */
        UNDER_WAY,
        UNKNOWN
    }

    /** A request came. */
    void begin(String key) {
        lock.lock();
        try {
            Page page = pages.computeIfAbsent(key, unknown -> new Page());
            page.requests++;
            page.underWay++;
        } finally {
            lock.unlock();
        }
    }

    /** A request has been dealt with, whatever came of it. */
    void end(String key) {
        lock.lock();
        try {
            page(key).underWay--;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Carries an order out, unless it has been and keys are recognised.
     *
     * @return its place among all that were carried out, from 1
     */
    long take(String key, boolean recognised) {
        lock.lock();
        try {
            Page page = page(key);
            if (page.effects == 0 || !recognised) {
                page.effects++;
                effects.add(key);
                page.place = effects.size();
            }
            return page.place;
        } finally {
            lock.unlock();
        }
    }

    private Page page(String key) {
        return Optional.ofNullable(pages.get(key)).orElseThrow();
    }

    /** The place of an order that was carried out. */
    Optional<Long> place(String key) {
        lock.lock();
        try {
            return Optional.ofNullable(pages.get(key))
                    .filter(page -> page.effects > 0)
                    .map(page -> page.place);
        } finally {
            lock.unlock();
        }
    }

    Knowledge knowledge(String key) {
        lock.lock();
        try {
            Page page = pages.getOrDefault(key, new Page());
            if (page.effects > 0) {
                return Knowledge.TAKEN;
            }
            return page.underWay > 0 ? Knowledge.UNDER_WAY : Knowledge.UNKNOWN;
        } finally {
            lock.unlock();
        }
    }

    /** The keys in the order in which their first requests came. */
    List<Line> lines() {
        lock.lock();
        try {
            List<Line> lines = new ArrayList<>(pages.size());
            pages.forEach((key, page) -> lines.add(new Line(key, page.requests, page.effects)));
            return lines;
        } finally {
            lock.unlock();
        }
    }

    /** The keys in the order in which they were carried out, each as often as it was. */
    List<String> effects() {
        lock.lock();
        try {
            return List.copyOf(effects);
        } finally {
            lock.unlock();
        }
    }

    JsonObject json() {
        JsonArray orders = new JsonArray();
        for (Line line : lines()) {
            JsonObject order = new JsonObject();
            order.addProperty("key", line.key());
            order.addProperty("requests", line.requests());
            order.addProperty("effects", line.effects());
            orders.add(order);
        }
        JsonObject json = new JsonObject();
        json.add("orders", orders);
        return json;
    }
}
