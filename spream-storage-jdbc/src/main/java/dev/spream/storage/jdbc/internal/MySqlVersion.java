package dev.spream.storage.jdbc.internal;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kind and version of a server that speaks MySQL's protocol. The product is read from the version, because drivers
 * connect to both.
 *
 * @param mariadb whether the server is MariaDB; otherwise MySQL
 * @param text the version, such as {@code 8.4.3} or {@code 11.4.5-MariaDB}
 */
public record MySqlVersion(boolean mariadb, String text) {
    private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+)\\.(\\d+)");

    /** The prefix of versions of old MariaDB servers, for clients that support no higher versions. */
    private static final String MARIADB_PREFIX = "5.5.5-";

    /** Servers other than MySQL that report a version of it; their locking reads behave differently. */
    private static final List<String> STRANGERS = List.of("tidb", "vitess", "oceanbase", "dolt", "singlestore");

    /** Returns the version that a server reports. */
    public static MySqlVersion of(String reported) {
        String version = reported.startsWith(MARIADB_PREFIX) ? reported.substring(MARIADB_PREFIX.length()) : reported;
        return new MySqlVersion(version.toLowerCase(Locale.ROOT).contains("mariadb"), version);
    }

    /** Returns whether the server is MySQL or MariaDB, in that version of it or a newer one. */
    public boolean isAtLeast(int[] ofMySql, int[] ofMariaDb) {
        String name = text.toLowerCase(Locale.ROOT);
        return STRANGERS.stream().noneMatch(name::contains) && isAtLeast(mariadb ? ofMariaDb : ofMySql);
    }

    /** Returns whether the number of the version is that one or a higher one. */
    public boolean isAtLeast(int[] minimum) {
        Matcher numbers = NUMBERS.matcher(text);
        if (!numbers.lookingAt()) {
            return false;
        }
        int[] here = {
            Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2)), Integer.parseInt(numbers.group(3))
        };
        return Arrays.compare(here, minimum) >= 0;
    }

    @Override
    public String toString() {
        return (mariadb ? "MariaDB " : "MySQL ") + text.replaceFirst("-.*", "");
    }
}
