package dev.spream.cli.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.URLDecoder;
import java.util.Arrays;
import java.util.Optional;

/** The query of a request. */
record Query(URI uri) {

    /** Returns the first value of a parameter; empty if it is absent or malformed. */
    Optional<String> find(String name) {
        String prefix = name + "=";
        return Optional.ofNullable(uri.getRawQuery()).stream()
                .flatMap(query -> Arrays.stream(query.split("&")))
                .filter(parameter -> parameter.startsWith(prefix))
                .findFirst()
                .flatMap(parameter -> decoded(parameter.substring(prefix.length())));
    }

    private static Optional<String> decoded(String value) {
        try {
            return Optional.of(URLDecoder.decode(value, UTF_8));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
