package dev.spream.cli.http;

import static java.util.stream.Collectors.toMap;

import dev.spream.core.partition.PartitionMetadata;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The stored subscriptions that a page looks at: the configured one, and for as long as their history lasts those that
 * were looked at by name. Safe for use by many threads.
 */
final class ObservedSubscriptions {
    /** A read of the lineage may take up to a twentieth of the time. */
    private static final int PAUSE = 20;

    /** Unknown names let the names be read again at most this often. */
    private static final Duration KNOWN = Duration.ofSeconds(2);

    private static final Duration KEPT = LagHistory.STEP.multipliedBy(LagHistory.STEPS);

    private final StoredSubscriptions subscriptions;
    private final InstantSource clock;
    private final LatestRead<List<String>> names;
    private final Optional<Observed> configured;
    private final Map<String, Looked> byName = new ConcurrentHashMap<>();
    private volatile Instant sampledAt = Instant.MIN;

    private record Looked(Observed observed, Instant at) {}

    ObservedSubscriptions(Optional<String> chosen, StoredSubscriptions subscriptions, InstantSource clock) {
        this.subscriptions = subscriptions;
        this.clock = clock;
        this.names = new LatestRead<>("the storage", subscriptions::names, Panel.INTERVAL, PAUSE, clock);
        this.configured = chosen.map(name -> observed(name, subscriptions::configured));
    }

    private Observed observed(String displayed, Supplier<String> name) {
        RunState state = new RunState();
        state.started(new StoredView(displayed, () -> subscriptions.storage(name.get())));
        return Observed.of(displayed, clock, state, PAUSE, new SimpleMeterRegistry());
    }

    interface Writing {
        String json(Observed observed) throws InterruptedException;
    }

    /** Returns the JSON of the subscription with the name in the query; without a name, of the configured one. */
    Answer answer(Query query, Writing writing) throws InterruptedException {
        Optional<String> name = query.find("name");
        if (name.isEmpty()) {
            return configured.isPresent()
                    ? Answer.json(writing.json(configured.get()))
                    : Answer.text(Answer.NOT_FOUND, "no subscription is configured: add ?name= and one of the storage");
        }
        LatestRead.Known<List<String>> stored = named(name.get());
        if (contains(stored, name.get())) {
            boolean isConfigured = name.get().equals(subscriptions.configured());
            return Answer.json(
                    writing.json(configured.filter(known -> isConfigured).orElseGet(() -> looked(name.get()))));
        }
        return stored.value().isPresent()
                ? Answer.text(Answer.NOT_FOUND, "no such subscription is stored; api/subscriptions lists them")
                : Answer.text(
                        Answer.UNAVAILABLE,
                        "the storage cannot be read: " + stored.error().orElse("not yet"));
    }

    /** Returns the known names; reads them again if this one may be new. */
    private LatestRead.Known<List<String>> named(String name) throws InterruptedException {
        LatestRead.Known<List<String>> stored = names.look();
        if (contains(stored, name)) {
            return stored;
        }
        names.expire(KNOWN);
        return names.look();
    }

    private static boolean contains(LatestRead.Known<List<String>> stored, String name) {
        return stored.value().filter(known -> known.contains(name)).isPresent();
    }

    private Observed looked(String name) {
        Instant now = clock.instant();
        return byName.compute(
                        name,
                        (known, before) ->
                                new Looked(before == null ? observed(name, () -> name) : before.observed(), now))
                .observed();
    }

    /** Samples the lags, at most once in a step of the history. */
    void sample() {
        Instant now = clock.instant();
        if (!now.isBefore(sampledAt) && now.isBefore(sampledAt.plus(LagHistory.STEP))) {
            return;
        }
        sampledAt = now;
        byName.values().removeIf(looked -> looked.at().isBefore(now.minus(KEPT)));
        try {
            if (configured.isPresent()) {
                sample(configured.get(), now);
            }
            for (Looked looked : byName.values()) {
                sample(looked.observed(), now);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the endpoints are being closed
        }
    }

    private static void sample(Observed shown, Instant now) throws InterruptedException {
        shown.stored()
                .look()
                .snapshot()
                .filter(snapshot -> !snapshot.readAt().isBefore(now.minus(LagHistory.STEP)))
                .ifPresent(snapshot -> shown.lags()
                        .add(
                                snapshot.readAt(),
                                snapshot.lineage().partitions().stream()
                                        .filter(partition -> !partition.isFinished())
                                        .collect(toMap(
                                                PartitionMetadata::token,
                                                partition ->
                                                        Observed.behind(partition.watermark(), snapshot.readAt())))));
    }
}
