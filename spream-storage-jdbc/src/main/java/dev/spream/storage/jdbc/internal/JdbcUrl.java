package dev.spream.storage.jdbc.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/**
 * The URL of a database without the user and the secrets in its query, so that logs and messages cannot show them. A URL is
 * refused if a part of a password may be where other parts belong, because a character of it was not encoded.
 *
 * @param address the URL without them
 * @param taken the parameters that were removed: {@code user}, and all whose names contain "password"
 * @see <a href="https://jdbc.postgresql.org/documentation/use/">pgJDBC: connecting to the database</a>
 * @see DatabaseKind
 */
public record JdbcUrl(String address, Map<String, String> taken) {
    private static final String FORMS = "jdbc:postgresql://host:port/database, jdbc:mysql:// or jdbc:mariadb://";
    /** The place of a port with something else, such as the password of a user without a host; not within {@code [::1]}. */
    private static final Pattern NO_PORT = Pattern.compile("//(?:\\[[^]]*]|[^/\\[])*?:(?!\\d+(?:,|/|$)|,|/|$)");

    private static final String NOT_ENCODED =
            "malformed URL of the database: percent-encode the values of its parameters, such as % as %25 and & as %26";

    /** Parses a URL of any {@linkplain DatabaseKind kind}. */
    public static JdbcUrl parse(String url) {
        DatabaseKind kind = DatabaseKind.of(url)
                .orElseThrow(() -> new IllegalArgumentException(
                        "malformed URL of the database: it must begin with %s".formatted(FORMS)));
        int query = url.indexOf('?');
        String path = query < 0 ? url : url.substring(0, query);
        if (path.contains("@") || path.contains("(") || NO_PORT.matcher(path).find()) {
            throw new IllegalArgumentException(
                    "malformed URL of the database: expected %s without user, password or settings before the host"
                            .formatted(kind.form()));
        }
        Map<String, String> taken = new LinkedHashMap<>();
        boolean afterSecret = false;
        StringJoiner kept = new StringJoiner("&", "?", "").setEmptyValue("");
        for (String parameter :
                query < 0 ? new String[0] : url.substring(query + 1).split("&", -1)) {
            String[] parts = parameter.split("=", 2);
            if (parts.length == 2 && isTaken(parts[0])) {
                taken.put(parts[0], decoded(parts[1]));
            } else if (!parameter.isEmpty()) {
                kept.add(parameter);
                afterSecret |= parts.length == 1 && taken.keySet().stream().anyMatch(JdbcUrl::isSecret);
            }
        }
        if (afterSecret || kept.toString().contains("@")) {
            throw new IllegalArgumentException(NOT_ENCODED);
        }
        return new JdbcUrl(path + kept, Map.copyOf(taken));
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(NOT_ENCODED); // without the cause, which quotes a part
        }
    }

    /**
     * Returns a URL of any kind, after checking that it can be shown to other users.
     *
     * @throws IllegalArgumentException if it has a password
     */
    public static String withoutPassword(String url) {
        if (parse(url).hasPassword()) {
            throw new IllegalArgumentException("the URL of the database must not contain the password");
        }
        return url;
    }

    /**
     * Returns a URL of PostgreSQL, after checking that it can be shown to other users.
     *
     * @throws IllegalArgumentException if it is of another database, or has a password
     */
    public static String ofPostgresWithoutPassword(String url) {
        if (parse(url).kind() != DatabaseKind.POSTGRESQL) {
            throw new IllegalArgumentException(
                    "expected a PostgreSQL URL such as %s; spream supports other databases for locks and the outbox only"
                            .formatted(DatabaseKind.POSTGRESQL.form()));
        }
        return withoutPassword(url);
    }

    public DatabaseKind kind() {
        return DatabaseKind.of(address).orElseThrow();
    }

    private boolean hasPassword() {
        return taken.keySet().stream().anyMatch(JdbcUrl::isSecret);
    }

    /** Returns whether the address itself sets that parameter. */
    public boolean hasParameter(String parameter) {
        return address.contains("?" + parameter + "=") || address.contains("&" + parameter + "=");
    }

    private static boolean isTaken(String name) {
        return name.equals("user") || isSecret(name);
    }

    static boolean isSecret(String name) {
        return name.toLowerCase(Locale.ROOT).contains("password");
    }

    /** Returns the address; without its parameters if there was a secret among them, the rest of which may be one of them. */
    @Override
    public String toString() {
        return hasPassword() ? address.split("\\?", 2)[0] : address;
    }
}
