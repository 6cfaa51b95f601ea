package dev.spream.storage.jdbc.projection;

import dev.spream.core.projection.ProjectionStatus;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The live version of a projection, and another one.
 *
 * @param liveStatus when they were read
 * @param otherStatus as well
 */
record VersionPair(
        VersionTable.Stored live,
        ProjectionStatus liveStatus,
        VersionTable.Stored other,
        ProjectionStatus otherStatus) {
    private static final String TAKE = "SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))";

    private static final String STATUSES = """
            SELECT p.projection_name, p.status FROM @projection_versions v JOIN @projection_states p ON p.projection_name = v.state
            WHERE v.projection = ?""";

    /**
     * Begins a transaction in which nobody else changes the versions of a projection.
     *
     * @return all of them
     * @throws IllegalStateException if somebody is at it, or there is no such projection
     */
    static List<VersionTable.Stored> take(ProjectionTransaction transaction, String projection) throws SQLException {
        String lock = "spream rebuild %s.%s".formatted(transaction.schema(), projection);
        RoundTrip trip = transaction.first();
        RoundTrip.Rows<Boolean> taken = trip.rows(TAKE, p -> p.text(lock), row -> row.getBoolean(1));
        RoundTrip.Rows<VersionTable.Stored> versions =
                trip.rows(VersionTable.OF_PROJECTION, p -> p.text(projection), VersionTable.Stored::read);
        trip.run();
        if (!taken.list().getFirst()) {
            throw new IllegalStateException(
                    "somebody else is changing or comparing versions of projection '%s'; nothing was changed: try again when that is done"
                            .formatted(projection));
        }
        if (versions.isEmpty()) {
            throw new IllegalStateException(
                    "there is no projection '%s'; nothing was changed: run it once, or check the name"
                            .formatted(projection));
        }
        return versions.list();
    }

    /**
     * Begins a transaction in which nobody else changes the versions of a projection.
     *
     * @throws IllegalStateException if there is no such version, or it is live
     */
    static VersionPair take(ProjectionTransaction transaction, String projection, int version) throws SQLException {
        List<VersionTable.Stored> versions = take(transaction, projection);
        VersionTable.Stored other = requireOther(versions, projection, version);
        VersionTable.Stored live = live(versions);
        RoundTrip trip = transaction.next();
        RoundTrip.Rows<Map.Entry<String, ProjectionStatus>> rows = trip.rows(
                STATUSES,
                p -> p.text(projection),
                row -> Map.entry(row.getString("projection_name"), ProjectionStatus.valueOf(row.getString("status"))));
        trip.run();
        Map<String, ProjectionStatus> statuses = new HashMap<>();
        rows.list().forEach(row -> statuses.put(row.getKey(), row.getValue()));
        return new VersionPair(live, status(statuses, live), other, status(statuses, other));
    }

    private static ProjectionStatus status(Map<String, ProjectionStatus> statuses, VersionTable.Stored version) {
        return Optional.ofNullable(statuses.get(version.state())).orElse(ProjectionStatus.FAILED);
    }

    static VersionTable.Stored live(List<VersionTable.Stored> versions) {
        return versions.stream()
                .filter(stored -> stored.version().isLive())
                .findFirst()
                .orElseThrow();
    }

    static VersionTable.Stored requireOther(List<VersionTable.Stored> versions, String projection, int version) {
        VersionTable.Stored found = versions.stream()
                .filter(stored -> stored.version().version() == version)
                .findFirst()
                .orElseThrow(() ->
                        new IllegalStateException("projection '%s' has no version %d; nothing was changed: it has %s"
                                .formatted(
                                        projection,
                                        version,
                                        versions.stream()
                                                .map(stored -> stored.version().version())
                                                .toList())));
        if (found.version().isLive()) {
            throw new IllegalStateException("version %d of projection '%s' is live; nothing was changed: name another"
                    .formatted(version, projection));
        }
        return found;
    }

    String projection() {
        return live.version().projection();
    }

    /**
     * Checks that the other one can be brought to where the live one is.
     *
     * @throws IllegalStateException if it cannot
     */
    void requireFollowing() {
        if (otherStatus != ProjectionStatus.REBUILDING) {
            throw refusal("it is %s: resume '%s@%d'"
                    .formatted(otherStatus, projection(), other.version().version()));
        }
        if (!other.version().prepared()) {
            throw refusal("it has not begun: run the projection with code of revision %d"
                    .formatted(other.version().revision()));
        }
    }

    IllegalStateException refusal(String why) {
        return new IllegalStateException(
                "version %d of projection '%s' is not where the live version %d is; nothing was changed: %s"
                        .formatted(
                                other.version().version(),
                                projection(),
                                live.version().version(),
                                why));
    }
}
