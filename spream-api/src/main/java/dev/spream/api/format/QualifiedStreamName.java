package dev.spream.api.format;

import static java.util.Objects.requireNonNull;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The full name of a change stream.
 *
 * @param project the Google Cloud project
 * @param instance the Spanner instance
 * @param database the database in the instance
 * @param stream the change stream in the database
 */
public record QualifiedStreamName(String project, String instance, String database, String stream) {
    static final String DATABASE_FORM = "projects/<project>/instances/<instance>/databases/<database>";

    private static final Pattern DATABASE =
            Pattern.compile("projects/(?<project>[^/]+)/instances/(?<instance>[^/]+)/databases/(?<database>[^/]+)");

    public QualifiedStreamName {
        requireNonNull(project, "project");
        requireNonNull(instance, "instance");
        requireNonNull(database, "database");
        requireNonNull(stream, "stream");
    }

    /**
     * Returns the name of a stream in a database.
     *
     * @param database {@code projects/<project>/instances/<instance>/databases/<database>}
     * @throws IllegalArgumentException if it has another form
     */
    public static QualifiedStreamName of(String database, String stream) {
        Matcher matcher = DATABASE.matcher(database);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("expected " + DATABASE_FORM);
        }
        return new QualifiedStreamName(
                matcher.group("project"), matcher.group("instance"), matcher.group("database"), stream);
    }

    /** Returns the name in the form of Google Cloud's resources. */
    @Override
    public String toString() {
        return "projects/%s/instances/%s/databases/%s/changeStreams/%s".formatted(project, instance, database, stream);
    }
}
