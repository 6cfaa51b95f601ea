package dev.spream.examples.http;

import com.sun.net.httpserver.Headers;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests that a web site could make its visitor's browser send: a request for another host, if only this
 * machine is served, as after DNS rebinding, and a request from the page of another origin. Programs send no Origin. A
 * body that is not declared as JSON in UTF-8 is rejected as well: a browser sends JSON to another origin only with its
 * permission, but forms and plain text without.
 */
record BrowserCheck(boolean thisMachineAlone) {
    private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-f:.]+]|[^:\\[\\]]+)(?::\\d{1,5})?");
    private static final int FORBIDDEN = 403;
    private static final int UNSUPPORTED_MEDIA_TYPE = 415;
    private static final int MISDIRECTED = 421;

    /** Returns the response of a rejected request; empty if the request is accepted. */
    Optional<Answer> refusal(Headers request) {
        String host = Optional.ofNullable(request.getFirst("Host")).orElse("").toLowerCase(Locale.ROOT);
        Matcher matcher = HOST.matcher(host);
        if (thisMachineAlone && !(matcher.matches() && THIS_MACHINE.contains(matcher.group(1)))) {
            return Optional.of(Answer.problem(
                    MISDIRECTED, "Misdirected request", "This serves its own machine alone, by the name localhost."));
        }
        List<String> origins = request.getOrDefault("Origin", List.of());
        if (!origins.stream().allMatch(origin -> host.equals(authority(origin)))) {
            return Optional.of(
                    Answer.problem(FORBIDDEN, "Another origin", "Pages of other origins may not send requests here."));
        }
        List<String> types = request.getOrDefault("Content-Type", List.of());
        if (hasBody(request) && !(types.size() == 1 && isJson(types.getFirst()))) {
            return Optional.of(Answer.problem(
                    UNSUPPORTED_MEDIA_TYPE,
                    "Unsupported media type",
                    "A body is JSON in UTF-8 here: send the header Content-Type: application/json."));
        }
        return Optional.empty();
    }

    private static @Nullable String authority(String origin) {
        try {
            String authority = URI.create(origin).getRawAuthority();
            return authority == null ? null : authority.toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            return null;
        }
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
