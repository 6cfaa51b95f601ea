package dev.spream.api.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A PostgreSQL address as used in deployments, {@code postgres://user:password@host:5432/database}, split into the keys
 * of a plug-in. Any other text, such as a JDBC URL, is used unchanged as the address.
 *
 * @see <a href="https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS">PostgreSQL:
 *     connection URIs</a>
 */
final class DatabaseUrl {
    private static final Pattern URI =
            Pattern.compile("(?is)postgres(?:ql)?://(?:(?<user>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<rest>[^@]+)");

    private DatabaseUrl() {}

    /** Returns the address for JDBC, without user and password. */
    static String address(String text) {
        Matcher uri = URI.matcher(text);
        return uri.matches() ? literal("jdbc:postgresql://" + uri.group("rest")) : text;
    }

    /** Returns the user; empty if there is none. */
    static String user(String text) {
        return part(text, "user");
    }

    /** Returns the password; empty if there is none. */
    static String password(String text) {
        return part(text, "password");
    }

    private static String part(String text, String name) {
        Matcher uri = URI.matcher(text);
        String part = uri.matches() ? uri.group(name) : null;
        return part == null ? "" : literal(decoded(part));
    }

    /**
     * Returns the percent-decoded text. A plus stands for itself, unlike in a form; invalid encodings are kept as they
     * are.
     */
    private static String decoded(String part) {
        try {
            return URLDecoder.decode(part.replace("+", "%2B"), UTF_8);
        } catch (IllegalArgumentException e) {
            return part;
        }
    }

    /** Returns the text as a configuration value that contains no reference. */
    private static String literal(String part) {
        return part.replace("${", "$${");
    }
}
