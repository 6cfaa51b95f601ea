package dev.spream.api.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.record.Json;
import java.util.Locale;

/**
 * CloudEvents in structured mode: the attributes and the data in one JSON object. The data is the documentation's record
 * with one row, which has everything that Spanner sends.
 *
 * @param source the attribute {@code source}
 * @see <a href="https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md">JSON event format</a>
 */
record CloudEventsFormat(String source) implements ChangeFormat {
    private static final String BEGINNING = "{\"specversion\":\"1.0\"";
    static final String TYPE = "dev.spream.change.";
    private static final String DATA_SCHEMA =
            "https://cloud.google.com/spanner/docs/change-streams/details#data-change-records";

    CloudEventsFormat(QualifiedStreamName stream) {
        this("//spanner.googleapis.com/" + stream);
    }

    @Override
    public String contentType() {
        return "application/cloudevents+json";
    }

    @Override
    public boolean isText() {
        return true;
    }

    @Override
    public String beginning() {
        return BEGINNING;
    }

    @Override
    public Deletion deletion() {
        return Deletion.VALUE;
    }

    @Override
    public byte[] key(ChangedRow row) {
        return row.recordKey().canonicalKey().getBytes(UTF_8);
    }

    @Override
    public byte[] value(ChangedRow row) {
        String key = row.recordKey().text();
        StringBuilder out = new StringBuilder(1024).append(BEGINNING);
        member(out, "id", row.identity());
        member(out, "source", source);
        member(out, "type", TYPE + row.change().modTypeName().toLowerCase(Locale.ROOT));
        member(out, "subject", key);
        member(out, "time", row.change().commitTimestamp().toString());
        member(out, "datacontenttype", "application/json");
        member(out, "dataschema", DATA_SCHEMA);
        member(out, "partitionkey", key);
        out.append(",\"data\":").append(row.change().withOnly(row.mod()).toJson());
        return out.append('}').toString().getBytes(UTF_8);
    }

    private static void member(StringBuilder out, String name, String value) {
        out.append(",\"").append(name).append("\":");
        Json.append(out, value);
    }
}
