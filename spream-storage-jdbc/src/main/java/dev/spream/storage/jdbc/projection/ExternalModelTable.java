package dev.spream.storage.jdbc.projection;

import dev.spream.projection.ProjectionStore.Beginning;
import dev.spream.projection.ProjectionVersion;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransactionGuard;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** The external read models of versions, which are outside of the database. */
record ExternalModelTable(ProjectionDatabase database) {
    private static final String FIND =
            "SELECT v.outside_model, false AS dealt FROM @projection_versions v WHERE v.projection = ? AND v.version = ?";

    private static final String LOCK = """
            SELECT v.outside_model, EXISTS (SELECT FROM @projection_keys k WHERE k.projection = v.state) AS dealt
            FROM @projection_versions v WHERE v.projection = ? AND v.version = ? FOR NO KEY UPDATE OF v""";

    private static final String REMEMBER =
            "UPDATE @projection_versions SET outside_model = ? WHERE projection = ? AND version = ?";

    /** A stored read model, and whether events of its version were processed. */
    private record Known(Optional<String> id, boolean dealt) {
        static Known read(ResultSet row) throws SQLException {
            return new Known(Optional.ofNullable(row.getString("outside_model")), row.getBoolean("dealt"));
        }
    }

    Optional<String> of(ProjectionVersion version, Beginning beginning) throws Exception {
        String what = "reading the external read model of projection '%s'".formatted(version.stateName());
        List<Known> known =
                database.rows(what, FIND, p -> p.text(version.projection()).number(version.version()), Known::read);
        if (known.isEmpty() || known.getFirst().id().isPresent()) {
            return known.stream().findFirst().flatMap(Known::id);
        }
        return database.inHandedTransaction(what, transaction -> begin(transaction, version, beginning));
    }

    private static Optional<String> begin(
            ProjectionTransaction transaction, ProjectionVersion version, Beginning beginning)
            throws SQLException, ProjectionTransactionGuard.Failure {
        StatementBatch trip = transaction.first();
        List<Known> rows = trip.rows(LOCK, p -> p.text(version.projection()).number(version.version()), Known::read);
        trip.run();
        Optional<Known> known = rows.stream().findFirst();
        if (known.isEmpty() || known.get().id().isPresent()) {
            return known.flatMap(Known::id);
        }
        if (known.get().dealt()) {
            throw new ProjectionTransactionGuard.Failure(version.withoutOutsideModel());
        }
        String id = ProjectionTransactionGuard.run(transaction, connection -> beginning.begin());
        transaction.update(REMEMBER, p -> p.text(id).text(version.projection()).number(version.version()));
        return Optional.of(id);
    }
}
