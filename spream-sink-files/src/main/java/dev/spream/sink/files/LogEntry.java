package dev.spream.sink.files;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the log: files that count from now on, and how far that brings their partitions.
 *
 * @param number its place in the log, from 1, without gaps
 * @param id distinguishes it from an entry that another writer stores in that place
 * @param subscription the subscription whose changes these are; one for the whole log
 * @param createdAt when its partition storage got it; empty from earlier versions, and if no log had it before a replay
 * @param committedAt the time on the writer's clock
 * @param lowWatermark a time before which every change of the subscription had been counted, as far as the writer knew
 * @param files the files, in the order in which their changes have to take effect
 * @param partitions the partitions of the changes in them
 * @param replayed the identities of those changes that were dead letters, which no position covers
 */
record LogEntry(
        long number,
        String id,
        String subscription,
        Optional<Instant> createdAt,
        Instant committedAt,
        Optional<Instant> lowWatermark,
        List<CommittedFile> files,
        List<PartitionCommit> partitions,
        List<String> replayed) {
    LogEntry {
        requireNonNull(id, "id");
        requireNonNull(subscription, "subscription");
        requireNonNull(createdAt, "createdAt");
        requireNonNull(committedAt, "committedAt");
        requireNonNull(lowWatermark, "lowWatermark");
        files = List.copyOf(files);
        partitions = List.copyOf(partitions);
        replayed = List.copyOf(replayed);
    }

    byte[] toJson() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("number", number);
        members.put("id", id);
        members.put("subscription", subscription);
        createdAt.ifPresent(time -> members.put("subscriptionCreatedAt", time.toString()));
        members.put("committedAt", committedAt.toString());
        members.put("lowWatermark", lowWatermark.map(Instant::toString).orElse(null));
        members.put("files", files.stream().map(CommittedFile::members).toList());
        members.put(
                "partitions", partitions.stream().map(PartitionCommit::members).toList());
        members.put("replayed", replayed);
        return Json.text(members).getBytes(StandardCharsets.UTF_8);
    }

    /** @throws RuntimeException if the content is not an entry */
    static LogEntry read(byte[] content) {
        JsonObject entry = JsonObject.of(new String(content, StandardCharsets.UTF_8));
        return new LogEntry(
                entry.int64("number").orElseThrow(),
                entry.string("id").orElseThrow(),
                entry.string("subscription").orElseThrow(),
                entry.string("subscriptionCreatedAt").map(Instant::parse),
                Instant.parse(entry.string("committedAt").orElseThrow()),
                entry.string("lowWatermark").map(Instant::parse),
                entry.objects("files").stream().map(CommittedFile::read).toList(),
                entry.objects("partitions").stream().map(PartitionCommit::read).toList(),
                texts(entry.get("replayed")));
    }

    private static List<String> texts(@Nullable Object list) {
        return list instanceof List<?> texts
                ? texts.stream().map(String::valueOf).toList()
                : List.of();
    }
}
