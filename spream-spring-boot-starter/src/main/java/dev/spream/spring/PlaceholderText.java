package dev.spream.spring;

import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.PropertyPlaceholderHelper;
import org.springframework.util.SystemPropertyUtils;

/**
 * The text of a property, with two kinds of references. Spring's <code>${name:default}</code> is resolved here. Spream's
 * <code>${file:path}</code> and <code>${env:NAME}</code>, which Spring would take for names with a default, stay for
 * spream, which keeps track of the secrets in them; also those in the properties that a placeholder names.
 */
final class PlaceholderText {
    private static final Pattern REFERENCE =
            Pattern.compile("\\$\\{((?:file|env):(?:[^{}]|\\$\\{[^{}]*})*)}"); // with placeholders in the name
    private static final String OPEN = "\uE000"; // private use: in no property
    private static final String CLOSE = "\uE001";
    private static final PropertyPlaceholderHelper PLACEHOLDERS = new PropertyPlaceholderHelper(
            SystemPropertyUtils.PLACEHOLDER_PREFIX,
            SystemPropertyUtils.PLACEHOLDER_SUFFIX,
            SystemPropertyUtils.VALUE_SEPARATOR,
            SystemPropertyUtils.ESCAPE_CHARACTER,
            false);

    private PlaceholderText() {}

    /**
     * Resolves Spring's placeholders.
     *
     * @throws IllegalArgumentException if one cannot be resolved; the message may quote the text
     */
    static String resolve(String written, ConfigurableEnvironment environment) {
        return PLACEHOLDERS
                .replacePlaceholders(marked(written), name -> property(name, environment))
                .replace("${", "$${") // literal for spream
                .replace(OPEN, "${")
                .replace(CLOSE, "}");
    }

    private static String marked(String text) {
        return REFERENCE.matcher(text).replaceAll(OPEN + "$1" + CLOSE);
    }

    private static @Nullable String property(String name, ConfigurableEnvironment environment) {
        return environment.getPropertySources().stream()
                .flatMap(source -> Stream.ofNullable(source.getProperty(name)))
                .findFirst()
                .map(value -> marked(value.toString()))
                .orElse(null);
    }
}
