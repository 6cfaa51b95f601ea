package dev.spream.api.config;

import dev.spream.core.Secrets;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Registers the secrets of a configuration, so that messages mask them. */
final class ConfiguredSecrets {
    /** The beginning of a URL with a password. */
    private static final Pattern USER = Pattern.compile("://[^/@:?#\\s]*:");

    /** A parameter, of a URL or a login module, whose name indicates a secret. */
    private static final Pattern PARAMETER =
            Pattern.compile("(?i:(?:pass|pwd|secret|token|credential|api[-_]?key)[\\w.-]*)\\s*=\\s*"
                    + "(?:([\"'])(?<quoted>(?:(?!\\1)[^\\\\]|\\\\.){1,1000})\\1|(?<plain>[^&;\\s]+))");

    private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

    /** A header, or a scheme with its credential; the last group is the secret alone. */
    private static final Pattern NAMED = Pattern.compile("(?:[\\w-]+:\\s*)?(?:[A-Za-z]+ )?(\\S+)");

    private ConfiguredSecrets() {}

    static void keep(ResolvedText.Text text, Object value) {
        if (text.secret() && !text.shown().equals(text.text())) {
            List<?> parts = value instanceof List<?> list ? list : List.of(text.text());
            parts.forEach(part -> keep(part.toString()));
        }
        keepPasswords(text.text());
        Matcher parameters = PARAMETER.matcher(text.text());
        while (parameters.find()) {
            Optional<String> quoted = Optional.ofNullable(parameters.group("quoted"));
            quoted.map(ESCAPED::matcher)
                    .map(escaped -> escaped.replaceAll("$1"))
                    .ifPresent(Secrets::add);
            keepDecoded(quoted.orElseGet(() -> parameters.group("plain")));
        }
    }

    /** A password ends at the first {@code @} or, if it contains some, at the last. */
    private static void keepPasswords(String text) {
        Matcher users = USER.matcher(text);
        while (users.find()) {
            IntStream.of(text.indexOf('@', users.end()), text.lastIndexOf('@'))
                    .filter(at -> at > users.end())
                    .forEach(at -> keepDecoded(text.substring(users.end(), at)));
        }
    }

    private static void keep(String secret) {
        Secrets.add(secret.strip());
        Matcher named = NAMED.matcher(secret.strip());
        if (named.matches()) {
            Secrets.add(named.group(1));
        }
    }

    private static void keepDecoded(String written) {
        Secrets.add(written);
        try {
            Secrets.add(URLDecoder.decode(written.replace("+", "%2B"), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return; // a literal %
        }
    }
}
