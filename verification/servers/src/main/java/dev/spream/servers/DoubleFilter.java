package dev.spream.servers;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A filter of the double: comparisons that are joined by AND. */
final class DoubleFilter {
    private static final Pattern COMPARISON = Pattern.compile(
            "\\G\\s*(\\w+) (=|<=) (?:\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'|([\\w.-]+))\\s*(AND|$)",
            Pattern.DOTALL);

    private record Comparison(String field, boolean upTo, String value) {
        boolean matches(Map<String, @Nullable Object> document) {
            return switch (document.get(field)) {
                case null -> false;
                case List<?> list -> list.stream().anyMatch(this::matchesOne);
                case Object one -> matchesOne(one);
            };
        }

        private boolean matchesOne(@Nullable Object actual) {
            if (actual instanceof BigDecimal number) {
                Optional<BigDecimal> wanted = number(value);
                return wanted.isPresent()
                        && (upTo ? number.compareTo(wanted.get()) <= 0 : number.compareTo(wanted.get()) == 0);
            }
            return !upTo && String.valueOf(actual).toLowerCase(Locale.ROOT).equals(value.toLowerCase(Locale.ROOT));
        }

        private static Optional<BigDecimal> number(String text) {
            try {
                return Optional.of(new BigDecimal(text));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }
    }

    private final List<Comparison> comparisons = new ArrayList<>();

    /** @param code the code of the error if the filter is invalid, or uses a field that is not filterable */
    DoubleFilter(Object filter, Set<String> filterable, String code) {
        for (Object text : filter instanceof List<?> list ? list : List.of(filter)) {
            parse(String.valueOf(text), filterable, code);
        }
    }

    private void parse(String text, Set<String> filterable, String code) {
        Matcher matcher = COMPARISON.matcher(text);
        int end = 0;
        while (end < text.length() && matcher.find()) {
            if (!filterable.contains(matcher.group(1))) {
                throw new DoubleRefusal(400, code);
            }
            comparisons.add(new Comparison(matcher.group(1), matcher.group(2).equals("<="), value(matcher)));
            end = matcher.end();
        }
        if (end < text.length()) {
            throw new DoubleRefusal(400, code);
        }
    }

    /** Returns the value; a backslash is removed only before a quote of the kind that encloses it. */
    private static String value(Matcher matcher) {
        if (matcher.group(3) != null) {
            return matcher.group(3).replace("\\\"", "\"");
        }
        return matcher.group(4) == null ? matcher.group(5) : matcher.group(4).replace("\\'", "'");
    }

    boolean matches(Map<String, @Nullable Object> document) {
        return comparisons.stream().allMatch(comparison -> comparison.matches(document));
    }
}
