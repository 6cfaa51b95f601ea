package dev.spream.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.core.env.PropertyResolver;

/**
 * The text of a property, with two kinds of references. Spring's <code>${name:default}</code> is resolved here. Spream's
 * <code>${file:path}</code> and <code>${env:NAME}</code>, which Spring would take for names with a default, stay for
 * spream, which keeps track of the secrets in them.
 */
final class PlaceholderText {
    private static final Pattern REFERENCE =
            Pattern.compile("\\$\\{(file|env):((?:[^{}]|\\$\\{[^{}]*})*)}"); // with placeholders in the name
    private static final char OPEN = '\uE000'; // private use: in no property
    private static final char CLOSE = '\uE001';
    private static final Pattern KEPT = Pattern.compile(OPEN + "(\\d+)" + CLOSE);

    private PlaceholderText() {}

    /**
     * Resolves Spring's placeholders.
     *
     * @throws IllegalArgumentException if one cannot be resolved; the message may quote the text
     */
    static String resolve(String written, PropertyResolver properties) {
        List<String> references = new ArrayList<>();
        String kept = REFERENCE.matcher(written).replaceAll((MatchResult reference) -> {
            String name = properties.resolveRequiredPlaceholders(reference.group(2));
            references.add("${%s:%s}".formatted(reference.group(1), name));
            return "" + OPEN + (references.size() - 1) + CLOSE;
        });
        String resolved = properties.resolveRequiredPlaceholders(kept).replace("${", "$${"); // literal for spream
        return KEPT.matcher(resolved)
                .replaceAll(
                        reference -> Matcher.quoteReplacement(references.get(Integer.parseInt(reference.group(1)))));
    }
}
