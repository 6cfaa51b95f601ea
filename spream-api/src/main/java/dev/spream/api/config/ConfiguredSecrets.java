package dev.spream.api.config;

import dev.spream.core.Secrets;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Registers the secrets of a configuration, so that messages mask them. */
final class ConfiguredSecrets {
    /** A URL's password, and parameters, of a URL or a login module, whose name indicates a secret. */
    private static final Pattern IN_URL = Pattern.compile(
            "://[^/@:?#\\s]*:(?<password>[^/\\s]+)@"
                    + "|(?i:(?:pass|pwd|secret|token|credential|api[-_]?key)[\\w.-]*)=(?:\"(?<quoted>[^\"]+)\"|(?<plain>[^&;\\s]+))");

    /** A header, or a scheme with its credential; the last group is the secret alone. */
    private static final Pattern NAMED = Pattern.compile("(?:[\\w-]+:\\s*)?(?:[A-Za-z]+ )?(\\S+)");

    private ConfiguredSecrets() {}

    static void keep(ResolvedText.Text text, Object value) {
        if (text.secret() && !text.shown().equals(text.text())) {
            List<?> parts = value instanceof List<?> list ? list : List.of(text.text());
            parts.forEach(part -> keep(part.toString()));
        }
        Matcher parameters = IN_URL.matcher(text.text());
        while (parameters.find()) {
            Stream.of("password", "quoted", "plain")
                    .map(parameters::group)
                    .filter(Objects::nonNull)
                    .forEach(ConfiguredSecrets::keepDecoded);
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
