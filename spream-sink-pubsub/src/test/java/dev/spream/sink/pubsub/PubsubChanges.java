package dev.spream.sink.pubsub;

import com.google.pubsub.v1.PubsubMessage;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Changes, what is published of them, and where to. */
final class PubsubChanges {
    static final Instant START = ScriptedSource.START;

    private PubsubChanges() {}

    /** A change of these rows, committed that many seconds after the start. */
    static DataChangeRecord change(long second, String... ids) {
        return withNote(second, "secret " + second, ids);
    }

    static DataChangeRecord withNote(long second, String note, String... ids) {
        return new DataChangeRecord(
                START.plusSeconds(second),
                "00000000",
                "tx" + second,
                true,
                "Orders",
                List.of(),
                Stream.of(ids)
                        .map(id -> new Mod(
                                JsonObject.of(Map.of("Id", id)), JsonObject.of(Map.of("Note", note)), JsonObject.EMPTY))
                        .toList(),
                "UPDATE",
                "NEW_VALUES",
                1,
                1,
                "",
                false);
    }

    /** The row and the second of what was published: {@code a1}. */
    static String label(PubsubMessage message) {
        DataChangeRecord change =
                ChangeRecordJson.readDataChange(message.getData().toStringUtf8());
        return change.mods().getFirst().keys().string("Id").orElseThrow()
                + (change.commitTimestamp().getEpochSecond() - START.getEpochSecond());
    }

    static List<String> labels(List<PubsubMessage> messages) {
        return messages.stream().map(PubsubChanges::label).toList();
    }

    /** Those of one row. */
    static List<String> labelsOf(String id, List<PubsubMessage> messages) {
        return labels(messages).stream().filter(label -> label.startsWith(id)).toList();
    }

    static PubsubOptions options(PublisherServer server) {
        return options(server, Duration.ofSeconds(20), 100, 1_000);
    }

    static PubsubOptions options(PublisherServer server, Duration timeout, int maxRequests, int maxMessages) {
        return new PubsubOptions(
                PubsubOptions.Use.SINK,
                PubsubTopic.parse(PublisherServer.TOPIC),
                new PubsubOptions.Server.Emulator(server.host()),
                timeout,
                maxRequests,
                maxMessages,
                1 << 20,
                false);
    }

    static Optional<String> attribute(PubsubMessage message, String name) {
        return Optional.ofNullable(message.getAttributesMap().get(name));
    }
}
