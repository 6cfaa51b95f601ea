package dev.spream.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.record.JsonObject;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Dead letters of projections, with what they hold only if that is asked for. */
final class ProjectionLetters {
    private static final String NONE = "-";

    private ProjectionLetters() {}

    /** A line for each, and one above with what the columns are; what it holds is below its line. */
    static List<String> table(List<ProjectionDeadLetter> letters, boolean payload, Instant now) {
        if (letters.isEmpty()) {
            return List.of();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("ID", "KEPT", "KIND", "KEY", "VERSION", "TYPE", "EVENT OR ORIGIN", "REASON"));
        letters.forEach(letter -> rows.add(row(letter, now)));
        List<String> lines = new ArrayList<>();
        List<String> aligned = Columns.align(rows);
        lines.add(aligned.getFirst());
        for (int i = 0; i < letters.size(); i++) {
            lines.add(aligned.get(i + 1));
            if (payload) {
                lines.add("    " + PlainText.of(payload(letters.get(i))));
            }
        }
        return lines;
    }

    private static List<String> row(ProjectionDeadLetter letter, Instant now) {
        List<String> row = new ArrayList<>();
        row.add(Long.toString(letter.id()));
        row.add(ProjectionLines.ago(letter.keptAt(), now));
        row.addAll(
                switch (letter) {
                    case ProjectionDeadLetter.Skipped skipped -> skipped(skipped.event());
                    case ProjectionDeadLetter.Undecodable undecodable ->
                        List.of(
                                "undecodable",
                                NONE,
                                NONE,
                                NONE,
                                PlainText.of(undecodable.item().origin()));
                });
        row.add(PlainText.of(letter.reason()));
        return row;
    }

    private static List<String> skipped(EventEnvelope event) {
        return List.of(
                "skipped",
                PlainText.of(event.aggregateId()),
                Long.toString(event.eventVersion()),
                PlainText.of(event.eventType()),
                PlainText.of(event.eventId()));
    }

    private static String payload(ProjectionDeadLetter letter) {
        return switch (letter) {
            case ProjectionDeadLetter.Skipped skipped -> skipped.event().eventData();
            case ProjectionDeadLetter.Undecodable undecodable -> text(undecodable.item());
        };
    }

    /** As text if it is some, for people. */
    private static String text(FeedItem.Undecodable item) {
        String attributes = JsonObject.of(new TreeMap<>(item.attributes())).toString();
        try {
            return "%s %s".formatted(attributes, UTF_8.newDecoder().decode(item.bytes()));
        } catch (CharacterCodingException e) {
            return "%s base64 %s".formatted(attributes, base64(item.bytes()));
        }
    }

    private static String base64(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return Base64.getEncoder().encodeToString(copy);
    }

    /** For programs: one object. Times are RFC 3339; what there is not is absent. */
    static String json(ProjectionDeadLetter letter, boolean payload) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("id", letter.id());
        members.put("kept_at", letter.keptAt().toString());
        switch (letter) {
            case ProjectionDeadLetter.Skipped skipped -> event(members, skipped.event(), payload);
            case ProjectionDeadLetter.Undecodable undecodable -> item(members, undecodable.item(), payload);
        }
        members.put("reason", letter.reason());
        return JsonObject.of(members).toString();
    }

    private static void event(Map<String, @Nullable Object> members, EventEnvelope event, boolean payload) {
        members.put("kind", "skipped");
        members.put("aggregate_id", event.aggregateId());
        members.put("event_version", event.eventVersion());
        members.put("event_id", event.eventId());
        members.put("event_type", event.eventType());
        members.put("occurred_at", event.occurredAt().toString());
        if (payload) {
            members.put("event_data", event.eventData());
            members.put("correlation_id", event.metadata().correlationId());
            members.put("user_id", event.metadata().userId());
            members.put("source_service", event.metadata().sourceService());
            event.metadata().idempotencyKey().ifPresent(key -> members.put("idempotency_key", key));
        }
    }

    private static void item(Map<String, @Nullable Object> members, FeedItem.Undecodable item, boolean payload) {
        members.put("kind", "undecodable");
        members.put("origin", item.origin());
        members.put("occurred_at", item.at().toString());
        if (payload) {
            members.put("bytes_base64", base64(item.bytes()));
            members.put("attributes", new TreeMap<>(item.attributes()));
        }
    }
}
