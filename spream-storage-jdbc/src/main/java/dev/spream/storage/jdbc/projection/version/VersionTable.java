package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.VersionRole;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeSet;

/** The versions of projections. */
public record VersionTable(ProjectionDatabase database) {
    static final String COLUMNS = """
            v.projection, v.version, v.revision, v.role, v.from_position, v.prepared, v.effects, v.tables, v.home, v.own_schema""";

    static final String OF_PROJECTION =
            "SELECT %s FROM @projection_versions v WHERE v.projection = ? ORDER BY v.version".formatted(COLUMNS);

    private static final String LIMIT = """
            SELECT coalesce(s.position, 0) AS position FROM @projection_versions l
            LEFT JOIN @projection_segments s ON s.projection = l.state AND s.segment = ?
            WHERE l.projection = ? AND l.role = 'LIVE'""";

    private static final String BUILT = """
            UPDATE @projection_versions v SET
                rate = CASE WHEN late THEN (now.dealt - v.measured) / extract(epoch FROM now.at - v.measured_at) ELSE v.rate END,
                measured = CASE WHEN late THEN now.dealt ELSE v.measured END,
                measured_at = CASE WHEN late THEN now.at ELSE v.measured_at END
            FROM (SELECT clock_timestamp() AS at, coalesce(sum(s.dealt), 0) AS dealt
                FROM @projection_segments s WHERE s.projection = ?) AS now
            WHERE v.projection = ? AND v.version = ? AND v.role <> 'LIVE'""".replace("late", "now.at - v.measured_at >= interval '2 seconds'");

    /** Selects the progress; a rate that was not measured recently counts as none. */
    private static final String PROGRESS = """
            SELECT %s, v.created_at,
                (SELECT coalesce(sum(s.dealt), 0) FROM @projection_segments s WHERE s.projection = v.state) AS applied,
                CASE WHEN v.measured_at > clock_timestamp() - interval '15 seconds' THEN v.rate END AS rate,
                coalesce((SELECT min(s.position) FROM @projection_segments s WHERE s.projection = v.state), 0) AS position,
                (SELECT count(*) FROM @projection_parked_keys p WHERE p.projection = v.state) AS parked,
                (SELECT count(*) FROM @projection_dead_letters d WHERE d.projection = v.state AND d.kind = 'SKIPPED') AS skipped,
                coalesce((SELECT min(s.position) FROM @projection_versions l JOIN @projection_segments s ON s.projection = l.state
                    WHERE l.projection = v.projection AND l.role = 'LIVE'), 0) AS target
            FROM @projection_versions v
            WHERE v.projection = ? AND v.role <> 'LIVE' AND (?::int IS NULL OR v.version = ?::int)
            ORDER BY v.version""".formatted(COLUMNS);

    /**
     * A version with the place of its tables.
     *
     * @param code the code, whose tables may be unknown
     * @param home the schema of the tables while the version is live
     * @param ownSchema the schema of the tables otherwise
     */
    record Stored(ProjectionVersion version, ProjectionCode code, Optional<String> home, Optional<String> ownSchema) {
        static Stored read(ResultSet row) throws SQLException {
            ProjectionVersion version = VersionTable.version(row);
            return new Stored(
                    version,
                    new ProjectionCode(
                            version.revision(),
                            new TreeSet<>(Parameters.texts(row, "tables")),
                            row.getBoolean("effects")),
                    Optional.ofNullable(row.getString("home")),
                    Optional.ofNullable(row.getString("own_schema")));
        }

        String state() {
            return version.stateName();
        }
    }

    public List<ProjectionVersion> list(String projection) {
        return stored(projection).stream().map(Stored::version).toList();
    }

    List<Stored> stored(String projection) {
        return database.rows(
                "listing the versions of projection '%s'".formatted(projection),
                OF_PROJECTION,
                p -> p.text(projection),
                Stored::read);
    }

    public long limit(ProjectionVersion version, int segment) {
        String what = "reading the position of the live version of projection '%s'".formatted(version.projection());
        return database.find(
                        what, LIMIT, p -> p.number(segment).text(version.projection()), row -> row.getLong("position"))
                .orElseThrow(() -> ProjectionDatabase.unknown(what, version.projection()));
    }

    public Optional<RebuildProgress> built(ProjectionVersion version) {
        String what = "measuring version %d of projection '%s'".formatted(version.version(), version.projection());
        database.update(
                what,
                BUILT,
                p -> p.text(version.stateName()).text(version.projection()).number(version.version()));
        return progress(what, version.projection(), Optional.of(Integer.toString(version.version()))).stream()
                .findFirst();
    }

    /** Returns the progress of all versions that are not live. */
    List<RebuildProgress> progress(String projection) {
        return progress("reading the progress of projection '%s'".formatted(projection), projection, Optional.empty());
    }

    private List<RebuildProgress> progress(String what, String projection, Optional<String> version) {
        return database.rows(
                what,
                PROGRESS,
                p -> p.text(projection).optionalText(version).optionalText(version),
                row -> new RebuildProgress(
                        version(row),
                        JdbcTimestamps.clock(row, "created_at"),
                        row.getLong("applied"),
                        row.getLong("position"),
                        row.getLong("target"),
                        row.getLong("parked"),
                        row.getLong("skipped"),
                        rate(row)));
    }

    private static OptionalDouble rate(ResultSet row) throws SQLException {
        double rate = row.getDouble("rate");
        return row.wasNull() ? OptionalDouble.empty() : OptionalDouble.of(rate);
    }

    private static ProjectionVersion version(ResultSet row) throws SQLException {
        return new ProjectionVersion(
                row.getString("projection"),
                row.getInt("version"),
                row.getInt("revision"),
                VersionRole.valueOf(row.getString("role")),
                row.getLong("from_position"),
                row.getBoolean("prepared"));
    }
}
