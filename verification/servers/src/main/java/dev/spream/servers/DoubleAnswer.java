package dev.spream.servers;

import dev.spream.core.record.Json;
import java.util.Map;

/** A response of the Meilisearch double. */
record DoubleAnswer(int status, String body) {
    static DoubleAnswer ok(Object body) {
        return new DoubleAnswer(200, Json.text(body));
    }

    static DoubleAnswer error(int status, String type, String code) {
        return new DoubleAnswer(status, Json.text(Map.of("message", "as a test wants it", "code", code, "type", type)));
    }
}
