package dev.spream.storage.jdbc.internal;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * The kinds of database that a URL can name, each with its driver. The product is known only once connected: MySQL's
 * driver connects to MariaDB as well, and MariaDB's to MySQL.
 *
 * @see <a href="https://dev.mysql.com/doc/connector-j/en/connector-j-reference-configuration-properties.html">MySQL
 *     Connector/J: configuration properties</a>
 * @see <a href="https://mariadb.com/kb/en/about-mariadb-connector-j/">MariaDB Connector/J</a>
 */
public enum DatabaseKind {
    POSTGRESQL(
            "jdbc:postgresql:",
            "jdbc:postgresql://host:port/database",
            "org.postgresql.Driver",
            "org.postgresql:postgresql"),
    /** Neither forms with several hosts, which may read elsewhere than they write, nor those of other protocols. */
    MYSQL(
            "jdbc:mysql://",
            "jdbc:mysql://host:port/database",
            "com.mysql.cj.jdbc.Driver",
            "com.mysql:mysql-connector-j"),
    MARIADB(
            "jdbc:mariadb://",
            "jdbc:mariadb://host:port/database",
            "org.mariadb.jdbc.Driver",
            "org.mariadb.jdbc:mariadb-java-client");

    private final String prefix;
    private final String form;
    private final String driver;
    private final String artifact;

    DatabaseKind(String prefix, String form, String driver, String artifact) {
        this.prefix = prefix;
        this.form = form;
        this.driver = driver;
        this.artifact = artifact;
    }

    /** Returns the kind of a URL by its prefix; empty if there is none. */
    public static Optional<DatabaseKind> of(String url) {
        return Arrays.stream(values())
                .filter(kind -> url.startsWith(kind.prefix))
                .findFirst();
    }

    /** Returns the form of a URL of this kind, for messages. */
    public String form() {
        return form;
    }

    String driver() {
        return driver;
    }

    /** Returns the driver's group and artifact in Maven repositories. */
    String artifact() {
        return artifact;
    }

    /**
     * Returns the defaults of a pool for parameters missing in the URL: a connect timeout of five seconds and, as a
     * last resort, a socket timeout of thirty.
     */
    public Map<String, String> settings() {
        return switch (this) {
            case POSTGRESQL ->
                Map.of(
                        "ApplicationName",
                        "spream",
                        "connectTimeout",
                        "5",
                        "socketTimeout",
                        "30",
                        "tcpKeepAlive",
                        "true");
            case MYSQL, MARIADB -> Map.of("connectTimeout", "5000", "socketTimeout", "30000", "tcpKeepAlive", "true");
        };
    }
}
