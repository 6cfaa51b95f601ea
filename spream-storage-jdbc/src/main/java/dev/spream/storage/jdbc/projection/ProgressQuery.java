package dev.spream.storage.jdbc.projection;

import dev.spream.projection.AggregateState;
import dev.spream.projection.ProjectionProgress;
import dev.spream.projection.ProjectionStatus;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.StoredKeys;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads how far the live version of a projection is, by one statement, and so from one snapshot. */
record ProgressQuery(ProjectionDatabase database) {
    /** Returns a row for each known aggregate; one without an aggregate if none is known. */
    static final String PROGRESS = """
            WITH live AS MATERIALIZED (
                SELECT p.projection_name AS state, p.status, (SELECT coalesce(min(s.position), 0)
                    FROM @projection_segments s WHERE s.projection = p.projection_name) AS position
                FROM @projection_versions v JOIN @projection_states p ON p.projection_name = v.state
                WHERE v.projection = ? AND v.role = 'LIVE'
            )
            SELECT live.status, live.position, k.key, k.last_version, k.parked,
                k.parked AND EXISTS (SELECT FROM @projection_parked_keys w WHERE w.projection = k.projection AND w.key = k.key
                    AND w.next_try IS NULL AND w.reason <> 'GAP') AS stuck
            FROM live LEFT JOIN @projection_keys k ON k.projection = live.state AND k.key = ANY ((SELECT ?::text[])::text[])""";

    private record Row(
            ProjectionStatus status, long position, Optional<String> key, AggregateState state, boolean stuck) {
        static Row read(ResultSet row) throws SQLException {
            return new Row(
                    ProjectionStatus.valueOf(row.getString("status")),
                    row.getLong("position"),
                    Optional.ofNullable(row.getString("key")),
                    new AggregateState(row.getLong("last_version"), row.getBoolean("parked")),
                    row.getBoolean("stuck"));
        }
    }

    ProjectionProgress of(String projection, Set<String> aggregates) {
        String what = "reading the progress of projection '%s'".formatted(projection);
        Map<String, String> idByKey = StoredKeys.byStored(aggregates);
        List<Row> rows = database.rows(what, PROGRESS, p -> p.text(projection).texts(idByKey.keySet()), Row::read);
        Row first = rows.stream().findFirst().orElseThrow(() -> ProjectionDatabase.unknown(what, projection));
        Map<String, AggregateState> states = new HashMap<>();
        aggregates.forEach(id -> states.put(id, AggregateState.NEW));
        Set<String> stuck = new HashSet<>();
        for (Row row : rows) {
            row.key().map(key -> idByKey.getOrDefault(key, key)).ifPresent(id -> {
                states.put(id, row.state());
                if (row.stuck()) {
                    stuck.add(id);
                }
            });
        }
        return new ProjectionProgress(first.status(), first.position(), states, stuck);
    }
}
