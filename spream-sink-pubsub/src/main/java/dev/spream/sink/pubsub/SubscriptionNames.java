package dev.spream.sink.pubsub;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names of the subscriptions of projections.
 *
 * @param named the subscriptions by projection
 * @param other the subscription of all other projections; if empty, each has one with the name of the projection
 */
record SubscriptionNames(Map<String, String> named, Optional<String> other) {
    static final String FORM = "<subscription>, or <projection>=<subscription> with commas between";

    static final SubscriptionNames DEFAULT = new SubscriptionNames(Map.of(), Optional.empty());

    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9._~+%-]{2,254}");

    SubscriptionNames {
        named = Map.copyOf(named);
        Stream.concat(named.values().stream(), other.stream()).forEach(SubscriptionNames::requireName);
    }

    static SubscriptionNames parse(String text) {
        Map<String, String> named = new LinkedHashMap<>();
        Optional<String> other = Optional.empty();
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            if (equals < 0
                    ? other.isPresent()
                    : named.containsKey(part.substring(0, equals).strip())) {
                throw new IllegalArgumentException("expected " + FORM);
            }
            if (equals < 0) {
                other = Optional.of(part.strip());
            } else {
                named.put(
                        part.substring(0, equals).strip(),
                        part.substring(equals + 1).strip());
            }
        }
        return new SubscriptionNames(named, other);
    }

    /** @throws IllegalArgumentException if the projection's own name is needed and is not valid for a subscription */
    String of(String projection) {
        return Optional.ofNullable(named.get(projection)).or(() -> other).orElseGet(() -> requireName(projection));
    }

    private static String requireName(String name) {
        if (!NAME.matcher(name).matches() || name.startsWith("goog")) {
            throw new IllegalArgumentException(
                    "'%s' is not a valid name of a subscription: it has 3 to 255 letters, digits and . _ ~ + %% -, a letter first, and does not begin with goog"
                            .formatted(name));
        }
        return name;
    }

    /** Returns the names in the form of {@link #parse}. */
    @Override
    public String toString() {
        return Stream.concat(
                        other.stream(),
                        named.entrySet().stream()
                                .sorted(Map.Entry.comparingByKey())
                                .map(entry -> entry.getKey() + "=" + entry.getValue()))
                .collect(Collectors.joining(","));
    }
}
