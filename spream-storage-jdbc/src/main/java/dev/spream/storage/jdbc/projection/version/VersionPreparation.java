package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionStore.Preparation;
import dev.spream.projection.ProjectionVersion;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransactionGuard;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Creates the tables of candidate versions, in schemas of their own. */
public record VersionPreparation(ProjectionDatabase database) {
    private static final String LOCK =
            "SELECT %s FROM @projection_versions v WHERE v.projection = ? AND v.version = ? FOR NO KEY UPDATE"
                    .formatted(VersionTable.COLUMNS);

    private static final String PREPARED = """
            UPDATE @projection_versions SET prepared = true, tables = ?::text[], effects = ?::boolean, home = ?, own_schema = ?
            WHERE projection = ? AND version = ?""";

    public boolean prepare(ProjectionVersion version, ProjectionCode code, Preparation<Connection> create)
            throws Exception {
        String what = "preparing version %d of projection '%s'".formatted(version.version(), version.projection());
        return database.inHandedTransaction(what, transaction -> prepare(transaction, version, code, create));
    }

    private static boolean prepare(
            ProjectionTransaction transaction,
            ProjectionVersion version,
            ProjectionCode code,
            Preparation<Connection> create)
            throws SQLException, ProjectionTransactionGuard.Failure {
        StatementBatch trip = transaction.first();
        List<VersionTable.Stored> found =
                trip.rows(LOCK, p -> p.text(version.projection()).number(version.version()), VersionTable.Stored::read);
        trip.run();
        if (found.isEmpty()) {
            return false;
        }
        if (!found.getFirst().version().prepared()) {
            create(transaction, version, code, create);
        }
        return true;
    }

    private static void create(
            ProjectionTransaction transaction,
            ProjectionVersion version,
            ProjectionCode code,
            Preparation<Connection> create)
            throws SQLException, ProjectionTransactionGuard.Failure {
        Set<String> tables = new TreeSet<>(code.tables());
        Optional<VersionSchema> place =
                tables.isEmpty() ? Optional.empty() : Optional.of(VersionSchema.find(transaction, version, tables));
        Map<Long, String> before = Map.of();
        if (place.isPresent()) {
            before = place.get().enter(transaction);
        }
        ProjectionTransactionGuard.run(transaction, connection -> {
            create.create(connection);
            return true;
        });
        if (place.isPresent()) {
            place.get().requireCreated(transaction, before);
        }
        StatementBatch trip = transaction.next();
        trip.update(
                PREPARED,
                p -> p.texts(tables)
                        .text(Boolean.toString(code.effects()))
                        .optionalText(place.map(VersionSchema::home))
                        .optionalText(place.map(VersionSchema::own))
                        .text(version.projection())
                        .number(version.version()));
        ProjectionTransactionGuard.leave(trip);
    }
}
