package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The example records of Spanner's documentation, as far as they are JSON: comments, ellipses and trailing commas are left
 * out, numbers and the field {@code record_type}, which no server sends, are as they stand there. The documentation has no
 * example of a system transaction; the one here has the fields of its table of data change records.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams/details">Spanner: change stream details</a>
 */
final class DocumentationRecords {
    private static final JsonObject RECORDS = load();

    private DocumentationRecords() {}

    static JsonObject record(String name) {
        return RECORDS.object(name).orElseThrow();
    }

    private static JsonObject load() {
        try (InputStream in = DocumentationRecords.class.getResourceAsStream("/documentation-records.json")) {
            return JsonObject.of(new String(requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
