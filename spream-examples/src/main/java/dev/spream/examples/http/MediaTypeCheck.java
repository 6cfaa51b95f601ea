package dev.spream.examples.http;

import com.sun.net.httpserver.Headers;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Refuses a body that is not said to be JSON in UTF-8. A browser sends JSON to another origin only when that one has allowed it;
 * forms and plain text it sends at once.
 */
final class MediaTypeCheck {
    private static final int UNSUPPORTED_MEDIA_TYPE = 415;

    private MediaTypeCheck() {}

    /** What is answered instead; empty if there is no body, or JSON. */
    static Optional<Answer> refusal(Headers request) {
        List<String> types = request.getOrDefault("Content-Type", List.of());
        if (!hasBody(request) || (types.size() == 1 && isJson(types.getFirst()))) {
            return Optional.empty();
        }
        return Optional.of(Answer.problem(
                UNSUPPORTED_MEDIA_TYPE,
                "Unsupported media type",
                "A body is JSON in UTF-8 here: send the header Content-Type: application/json."));
    }

    private static boolean hasBody(Headers request) {
        String length = request.getFirst("Content-Length");
        return request.containsKey("Transfer-Encoding") || !(length == null || length.equals("0"));
    }

    private static boolean isJson(String type) {
        String[] parts = type.toLowerCase(Locale.ROOT).replaceAll("[ \t\"]", "").split(";", -1);
        return parts[0].equals("application/json")
                && Arrays.stream(parts)
                        .filter(part -> part.startsWith("charset="))
                        .allMatch("charset=utf-8"::equals);
    }
}
