package dev.spream.storage.spanner;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The full name of a Spanner database.
 *
 * @param project the Google Cloud project
 * @param instance the Spanner instance
 * @param database the database in the instance
 */
public record DatabaseName(String project, String instance, String database) {
    private static final Pattern NAME =
            Pattern.compile("projects/(?<project>[^/]+)/instances/(?<instance>[^/]+)/databases/(?<database>[^/]+)");
    /** The form of an id; projects may belong to a domain: {@code example.com:project}. */
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._:-]+");

    public DatabaseName {
        requireId("project", project);
        requireId("instance", instance);
        requireId("database", database);
    }

    /**
     * Parses {@code projects/<project>/instances/<instance>/databases/<database>}.
     *
     * @throws IllegalArgumentException if the name has another form; the message has the expected one
     */
    public static DatabaseName parse(String name) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "malformed database name '%s': expected projects/<project>/instances/<instance>/databases/<database>"
                            .formatted(name));
        }
        return new DatabaseName(matcher.group("project"), matcher.group("instance"), matcher.group("database"));
    }

    private static void requireId(String part, String id) {
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException(
                    "malformed %s '%s' in a database name: letters, digits and . _ : - are allowed"
                            .formatted(part, id));
        }
    }

    /** Returns the name in the form that {@link #parse} accepts. */
    @Override
    public String toString() {
        return "projects/" + project + "/instances/" + instance + "/databases/" + database;
    }
}
