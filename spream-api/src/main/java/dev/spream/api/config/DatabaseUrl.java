package dev.spream.api.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a database of PostgreSQL as deployments write it, {@code postgres://user:password@host:5432/database}, in the
 * parts that the keys of a plug-in take. Any other text, such as the URL of JDBC, is an address as it is.
 *
 * @see <a href="https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS">PostgreSQL: connection URIs</a>
 */
final class DatabaseUrl {
    private static final Pattern URI =
            Pattern.compile("(?is)postgres(?:ql)?://(?:(?<user>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<rest>[^@]+)");

    private DatabaseUrl() {}

    /** Without user and password, for JDBC. */
    static String address(String text) {
        Matcher uri = URI.matcher(text);
        return uri.matches() ? literal("jdbc:postgresql://" + uri.group("rest")) : text;
    }

    /** Empty if there is none. */
    static String user(String text) {
        return part(text, "user");
    }

    /** Empty if there is none. */
    static String password(String text) {
        return part(text, "password");
    }

    private static String part(String text, String name) {
        Matcher uri = URI.matcher(text);
        String part = uri.matches() ? uri.group(name) : null;
        return part == null ? "" : literal(decoded(part));
    }

    /** Unlike in a form, a plus means itself. What is not encoded as it should be is meant as it is. */
    private static String decoded(String part) {
        try {
            return URLDecoder.decode(part.replace("+", "%2B"), UTF_8);
        } catch (IllegalArgumentException e) {
            return part;
        }
    }

    /** As a value that contains no reference. */
    private static String literal(String part) {
        return part.replace("${", "$${");
    }
}
