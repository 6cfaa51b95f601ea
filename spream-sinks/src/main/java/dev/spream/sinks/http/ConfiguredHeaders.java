package dev.spream.sinks.http;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The configured headers of every request. The text form omits their values, which may be secret. */
record ConfiguredHeaders(Map<String, String> values) {
    static final ConfigKey<String> AUTHORIZATION = ConfigKey.of(
                    "authorization",
                    ConfigType.text(),
                    "Value of the Authorization header, scheme included, such as Bearer and a token.")
            .secret();
    static final ConfigKey<List<String>> HEADERS = ConfigKey.of(
                    "headers",
                    ConfigType.list(),
                    "Additional headers, each as Name: value, separated by commas; a value cannot contain a comma.")
            .secret();

    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern VALUE = Pattern.compile("[\\x21-\\x7e]([\\t\\x20-\\x7e]*[\\x21-\\x7e])?");
    /** Headers that are set by the protocol or by the sender. */
    private static final Set<String> TAKEN = Set.of(
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "expect",
            "host",
            "http2-settings",
            "idempotency-key",
            "keep-alive",
            "proxy-authorization",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "user-agent");

    /**
     * @param headers each as {@code Name: value}
     * @param taken more names that cannot be configured, in lower case
     * @throws IllegalArgumentException if a header cannot be sent; the message has all of them, and no value
     */
    static ConfiguredHeaders of(Optional<String> authorization, List<String> headers, Set<String> taken) {
        List<String> problems = new ArrayList<>();
        Map<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        authorization.ifPresent(value -> {
            values.put("Authorization", value);
            if (!isValue(value)) {
                problems.add("authorization: contains characters that a header cannot have, such as a line end");
            }
        });
        for (int i = 0; i < headers.size(); i++) {
            add(headers.get(i), i + 1, taken, values).ifPresent(problems::add);
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
        return new ConfiguredHeaders(values);
    }

    /** Adds the header, or returns what is wrong with it. */
    private static Optional<String> add(String header, int number, Set<String> taken, Map<String, String> values) {
        int colon = header.indexOf(':');
        String name = colon < 0 ? "" : header.substring(0, colon);
        if (!NAME.matcher(name).matches()) {
            return Optional.of("headers: number %d is not of the form Name: value".formatted(number));
        }
        String value = header.substring(colon + 1).strip();
        if (!isValue(value)) {
            return Optional.of(
                    "headers: the value of %s is empty, or has characters that a header cannot have".formatted(name));
        }
        if (TAKEN.contains(name.toLowerCase(Locale.ROOT)) || taken.contains(name.toLowerCase(Locale.ROOT))) {
            return Optional.of("headers: %s is set by spream itself, or by the protocol".formatted(name));
        }
        return Optional.ofNullable(values.putIfAbsent(name, value))
                .map(before -> "headers: %s is configured twice, or is also set by authorization".formatted(name));
    }

    static boolean isValue(String text) {
        return VALUE.matcher(text).matches();
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    void addTo(HttpRequest.Builder request) {
        values.forEach(request::header);
    }

    @Override
    public String toString() {
        return values.keySet().toString();
    }
}
