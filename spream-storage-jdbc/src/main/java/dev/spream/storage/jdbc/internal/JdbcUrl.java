package dev.spream.storage.jdbc.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/**
 * The URL of a database without the user and the secrets in its query, so that logs and messages cannot show them.
 *
 * @param address the URL without them
 * @param taken the parameters that were removed: {@code user}, and all whose names contain "password"
 * @see <a href="https://jdbc.postgresql.org/documentation/use/">pgJDBC: connecting to the database</a>
 * @see DatabaseKind
 */
public record JdbcUrl(String address, Map<String, String> taken) {
    private static final String FORMS = "jdbc:postgresql://host:port/database, jdbc:mysql:// or jdbc:mariadb://";

    /** Parses a URL of any {@linkplain DatabaseKind kind}. */
    public static JdbcUrl parse(String url) {
        DatabaseKind kind = DatabaseKind.of(url)
                .orElseThrow(() -> new IllegalArgumentException(
                        "malformed URL of the database: it must begin with %s".formatted(FORMS)));
        int query = url.indexOf('?');
        String path = query < 0 ? url : url.substring(0, query);
        if (path.contains("@") || path.contains("(")) {
            throw new IllegalArgumentException(
                    "malformed URL of the database: expected %s without user, password or settings before the host"
                            .formatted(kind.form()));
        }
        Map<String, String> taken = new LinkedHashMap<>();
        StringJoiner kept = new StringJoiner("&", "?", "").setEmptyValue("");
        for (String parameter :
                query < 0 ? new String[0] : url.substring(query + 1).split("&", -1)) {
            String[] parts = parameter.split("=", 2);
            if (parts.length == 2 && isTaken(parts[0])) {
                taken.put(parts[0], URLDecoder.decode(parts[1], UTF_8));
            } else if (!parameter.isEmpty()) {
                kept.add(parameter);
            }
        }
        return new JdbcUrl(path + kept, Map.copyOf(taken));
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
        return taken.keySet().stream().anyMatch(name -> !name.equals("user"));
    }

    /** Returns whether the address itself sets that parameter. */
    public boolean hasParameter(String parameter) {
        return address.contains("?" + parameter + "=") || address.contains("&" + parameter + "=");
    }

    private static boolean isTaken(String name) {
        return name.equals("user") || name.toLowerCase(Locale.ROOT).contains("password");
    }

    @Override
    public String toString() {
        return address;
    }
}
