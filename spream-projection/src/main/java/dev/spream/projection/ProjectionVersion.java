package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.util.Locale;

/**
 * A version of a projection: a read model of its own, with a state of its own in the store, built from the same events.
 *
 * @param projection the projection's name
 * @param version its number, from 1, never reused
 * @param revision the revision of the code that writes it, see {@link Projection#revision()}
 * @param from the position after which its events begin; 0 for all events
 * @param prepared whether its read model can be written, because its tables exist
 */
public record ProjectionVersion(
        String projection, int version, int revision, VersionRole role, long from, boolean prepared) {
    private static final String SEPARATOR = "@";

    public ProjectionVersion {
        requireNonNull(projection, "projection");
        requireNonNull(role, "role");
        if (version < 1 || revision < 1 || from < 0) {
            throw new IllegalArgumentException("version is %d, revision is %d, from is %d: must be at least 1, 1 and 0"
                    .formatted(version, revision, from));
        }
    }

    /** Returns the name of its state in the store, its segments, and its parked aggregates. */
    public String stateName() {
        return stateName(projection, version);
    }

    /** Returns the projection's name for version 1, and {@code name@version} for later ones. */
    public static String stateName(String projection, int version) {
        return version == 1 ? projection : projection + SEPARATOR + version;
    }

    /**
     * Returns the name for operators, which is accepted by {@link ProjectionOperations}: the projection's name for the
     * live one, whichever version it is, and {@code name@version} for others.
     */
    public String label() {
        return isLive() ? projection : projection + SEPARATOR + version;
    }

    /**
     * Returns the status for operators: in lower case, and {@code following} of a retired version that is kept up to
     * date, which is stored as {@link ProjectionStatus#REBUILDING}.
     */
    public String text(ProjectionStatus status) {
        return role == VersionRole.RETIRED && status == ProjectionStatus.REBUILDING
                ? "following"
                : status.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the audit text of a version that was begun.
     *
     * @param skipped the number of events that it skips because the live version did
     */
    public String begun(long skipped) {
        return "version %d of revision %d from position %d%s"
                .formatted(
                        version,
                        revision,
                        from,
                        skipped == 0 ? "" : "; events skipped as in the live version: %d".formatted(skipped));
    }

    public boolean isLive() {
        return role == VersionRole.LIVE;
    }

    /** Returns the number of positions by which the events of the other version begin later; 0 if they do not. */
    public long leftOutBy(ProjectionVersion other) {
        return Math.max(0, other.from - from);
    }

    /**
     * Returns the exception for a version that has processed events without a recorded {@linkplain ExternalReadModel
     * read model outside of the database}.
     */
    public ProjectionException withoutOutsideModel() {
        return new ProjectionException(
                FailureKind.FATAL,
                "version %d of projection '%s' has processed events, but its external read model is not recorded in this database; nothing was written: rebuild it with 'projection rebuild %s', or run the projection under another name"
                        .formatted(version, projection, projection),
                null);
    }
}
