package dev.spream.sink.files;

import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/** Changes for tests, and what a store has of them. */
final class FilesChanges {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private FilesChanges() {}

    static DataChangeRecord change(Instant at, String transaction, String sequence, String key, long version) {
        return new DataChangeRecord(
                at,
                sequence,
                transaction,
                true,
                "Orders",
                List.of(),
                List.of(new Mod(
                        JsonObject.of(Map.of("Id", key)),
                        JsonObject.of(Map.of("Version", Long.toString(version))),
                        JsonObject.EMPTY)),
                "UPDATE",
                "NEW_VALUES",
                1,
                1,
                "",
                false);
    }

    /** A change of the key, which has that number, committed so many seconds after the start. */
    static DataChangeRecord change(long second, String key) {
        return change(START.plusSeconds(second), "tx" + second, "00000000", key, second);
    }

    static Delivery delivery(String partition, long epoch) {
        return delivery(partition, epoch, Optional.empty());
    }

    static Delivery delivery(String partition, long epoch, Optional<Instant> lowWatermark) {
        return new Delivery(new PartitionToken(partition), epoch, 1, Optional.empty(), lowWatermark);
    }

    /** Returns the owner of a log whose partition storage is not known. */
    static LogOwner owner(String subscription) {
        return new LogOwner(subscription, Optional.empty(), Optional.empty());
    }

    static FilesOptions options(long maxSize) {
        return new FilesOptions(
                new PathPattern("dt={date}/hour={hour}"), new JsonLinesFormat(true), maxSize, Duration.ofSeconds(5));
    }

    /** Returns the changes of the files that count, in order. */
    static List<DataChangeRecord> counted(ObjectStore store) {
        FilesReader reader = FilesReader.of(store);
        return reader.files().stream()
                .flatMap(file -> {
                    List<DataChangeRecord> changes = lines(file.name(), reader.content(file)).stream()
                            .map(ChangeRecordJson::readDataChange)
                            .toList();
                    if (changes.size() != file.changes()) {
                        throw new AssertionError("%s has %d changes".formatted(file, changes.size()));
                    }
                    return changes.stream();
                })
                .toList();
    }

    private static List<String> lines(String name, byte[] content) {
        try {
            byte[] text = name.endsWith(".gz")
                    ? new GZIPInputStream(new ByteArrayInputStream(content)).readAllBytes()
                    : content;
            return new String(text, StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Long> versions(ObjectStore store) {
        return counted(store).stream()
                .map(change ->
                        change.mods().getFirst().newValues().int64("Version").orElseThrow())
                .toList();
    }
}
