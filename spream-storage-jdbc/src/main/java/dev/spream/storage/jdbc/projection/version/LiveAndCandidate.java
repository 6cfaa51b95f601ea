package dev.spream.storage.jdbc.projection.version;

import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.util.List;

/** The live version of a projection, and another one. */
record LiveAndCandidate(VersionTable.Stored live, VersionTable.Stored other) {
    private static final String TAKE = "SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))";

    /**
     * Begins a transaction with the exclusive right to change the versions of a projection.
     *
     * @return all versions
     * @throws IllegalStateException if another transaction is changing them, or the projection does not exist
     */
    static List<VersionTable.Stored> take(ProjectionTransaction transaction, String projection) throws SQLException {
        String lock = "spream rebuild %s.%s".formatted(transaction.schema(), projection);
        StatementBatch trip = transaction.first();
        List<Boolean> taken = trip.rows(TAKE, p -> p.text(lock), row -> row.getBoolean(1));
        List<VersionTable.Stored> versions =
                trip.rows(VersionTable.OF_PROJECTION, p -> p.text(projection), VersionTable.Stored::read);
        trip.run();
        if (!taken.getFirst()) {
            throw new IllegalStateException(
                    "another session is changing or comparing versions of projection '%s'; nothing was changed: try again when it has finished"
                            .formatted(projection));
        }
        if (versions.isEmpty()) {
            throw new IllegalStateException(
                    "there is no projection '%s'; nothing was changed: run the projection once, or check the name"
                            .formatted(projection));
        }
        return versions;
    }

    /**
     * Begins a transaction with the exclusive right to change the versions of a projection.
     *
     * @throws IllegalStateException if there is no such version, or it is live
     */
    static LiveAndCandidate take(ProjectionTransaction transaction, String projection, int version)
            throws SQLException {
        List<VersionTable.Stored> versions = take(transaction, projection);
        VersionTable.Stored other = requireOther(versions, projection, version);
        return new LiveAndCandidate(live(versions), other);
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

    void requirePrepared() {
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
