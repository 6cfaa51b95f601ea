package dev.spream.cli.projection;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.cli.output.Columns;
import dev.spream.cli.output.Members;
import dev.spream.cli.output.PlainText;
import dev.spream.core.record.JsonObject;
import dev.spream.projection.ProjectionDeadLetter;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.TreeMap;

/** Formats dead letters of projections, with their content only on request. */
final class ProjectionDeadLetters {
    private static final String NONE = "-";

    private ProjectionDeadLetters() {}

    /** Returns a table with a line for each letter; the content is below its line. */
    static List<String> table(List<ProjectionDeadLetter> letters, boolean payload, Instant now) {
        List<String> lines = new ArrayList<>();
        List<String> aligned = Columns.table(
                List.of("ID", "KEPT", "KIND", "KEY", "VERSION", "TYPE", "EVENT OR ORIGIN", "REASON"),
                letters,
                letter -> row(letter, now));
        aligned.stream().limit(1).forEach(lines::add);
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
        row.add(ProjectionPrinter.ago(letter.keptAt(), now));
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

    /** Returns the item as text, if it is valid text. */
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

    /** Returns one JSON object. Times are RFC 3339; missing values are absent. */
    static String json(ProjectionDeadLetter letter, boolean payload) {
        Members members = new Members().put("id", letter.id()).put("kept_at", letter.keptAt());
        switch (letter) {
            case ProjectionDeadLetter.Skipped skipped -> event(members, skipped.event(), payload);
            case ProjectionDeadLetter.Undecodable undecodable -> item(members, undecodable.item(), payload);
        }
        return members.put("reason", letter.reason()).toString();
    }

    private static void event(Members members, EventEnvelope event, boolean payload) {
        members.put("kind", "skipped")
                .put("aggregate_id", event.aggregateId())
                .put("event_version", event.eventVersion())
                .put("event_id", event.eventId())
                .put("event_type", event.eventType())
                .put("occurred_at", event.occurredAt());
        if (payload) {
            members.put("event_data", event.eventData())
                    .put("correlation_id", event.metadata().correlationId())
                    .put("user_id", event.metadata().userId())
                    .put("source_service", event.metadata().sourceService())
                    .put("idempotency_key", event.metadata().idempotencyKey());
        }
    }

    private static void item(Members members, FeedItem.Undecodable item, boolean payload) {
        members.put("kind", "undecodable").put("origin", item.origin()).put("occurred_at", item.at());
        if (payload) {
            members.put("bytes_base64", base64(item.bytes())).put("attributes", new TreeMap<>(item.attributes()));
        }
    }
}
