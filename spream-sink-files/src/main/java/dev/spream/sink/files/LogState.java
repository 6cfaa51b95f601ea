package dev.spream.sink.files;

import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The changes that the entries of the log up to one of them count together. The same entries give the same
 * state in every process, so it can be stored as a checkpoint. Confined to the owner of the log.
 *
 * <p>It stays small: a partition whose position is before the low watermark is forgotten, since every change before that
 * is counted, and replayed letters are after a week, in which a replay that broke off has been repeated.
 */
final class LogState {
    private static final Duration REPLAYS_KEPT = Duration.ofDays(7);

    private long number; // of the last entry; 0 if there is none
    private Optional<String> subscription = Optional.empty();
    private Optional<Instant> createdAt = Optional.empty();
    private Instant floor = Instant.MIN;
    private final Map<String, Position> partitions = new TreeMap<>();
    private final Map<String, Instant> replayed = new TreeMap<>();

    void apply(LogEntry commit) {
        number = commit.number();
        subscription = Optional.of(commit.subscription());
        createdAt = commit.createdAt().or(() -> createdAt);
        commit.partitions().forEach(part -> partitions.put(part.partition(), part.through()));
        commit.lowWatermark().filter(floor::isBefore).ifPresent(low -> {
            floor = low;
            partitions.values().removeIf(position -> position.at().isBefore(low));
        });
        commit.replayed().forEach(identity -> replayed.put(identity, commit.committedAt()));
        Instant oldest = commit.committedAt().minus(REPLAYS_KEPT);
        replayed.values().removeIf(oldest::isAfter);
    }

    long number() {
        return number;
    }

    Optional<String> subscription() {
        return subscription;
    }

    /** Returns when the subscription was stored; empty if only earlier versions have written. */
    Optional<Instant> createdAt() {
        return createdAt;
    }

    /** Returns the time before which every change is counted. */
    Instant floor() {
        return floor;
    }

    Optional<Position> position(String partition) {
        return Optional.ofNullable(partitions.get(partition));
    }

    boolean hasReplays() {
        return !replayed.isEmpty();
    }

    boolean isReplayed(String identity) {
        return replayed.containsKey(identity);
    }

    int partitions() {
        return partitions.size();
    }

    byte[] toJson() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("number", number);
        members.put("subscription", subscription.orElse(null));
        createdAt.ifPresent(time -> members.put("subscriptionCreatedAt", time.toString()));
        members.put("floor", floor.equals(Instant.MIN) ? null : floor.toString());
        Map<String, Object> positions = new LinkedHashMap<>();
        partitions.forEach((partition, position) -> positions.put(partition, position.members()));
        members.put("partitions", positions);
        Map<String, Object> replays = new LinkedHashMap<>();
        replayed.forEach((identity, at) -> replays.put(identity, at.toString()));
        members.put("replayed", replays);
        return Json.text(members).getBytes(StandardCharsets.UTF_8);
    }

    /** @throws RuntimeException if the content is not a state */
    static LogState read(byte[] content) {
        JsonObject members = JsonObject.of(new String(content, StandardCharsets.UTF_8));
        LogState state = new LogState();
        state.number = members.int64("number").orElseThrow();
        state.subscription = members.string("subscription");
        state.createdAt = members.string("subscriptionCreatedAt").map(Instant::parse);
        state.floor = members.string("floor").map(Instant::parse).orElse(Instant.MIN);
        JsonObject positions = members.object("partitions").orElseThrow();
        positions
                .members()
                .keySet()
                .forEach(partition -> state.partitions.put(
                        partition, Position.read(positions.object(partition).orElseThrow())));
        members.object("replayed")
                .orElseThrow()
                .members()
                .forEach((identity, at) -> state.replayed.put(identity, Instant.parse(String.valueOf(at))));
        return state;
    }
}
