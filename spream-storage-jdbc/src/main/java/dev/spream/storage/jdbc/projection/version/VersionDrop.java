package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionRole;
import dev.spream.storage.jdbc.projection.internal.ExclusiveVersionLock;
import dev.spream.storage.jdbc.projection.internal.ProjectionAuditTable;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Removes versions with all of their state. */
record VersionDrop(ProjectionDatabase database) {
    /** The timeout of the deletion of the states of all aggregates. */
    private static final Duration WORK = Duration.ofHours(1);

    /** The time to wait for batches, and for readers of the tables. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final String DEPENDENT_OBJECTS = "2BP01";

    private static final String LOCK =
            "SELECT %s FROM @projection_versions v WHERE v.projection = ? AND v.version = ? FOR UPDATE"
                    .formatted(VersionTable.COLUMNS);

    private static final List<String> OF_STATE = List.of(
            "DELETE FROM @projection_versions WHERE state = ?",
            "DELETE FROM @projection_states WHERE projection_name = ?",
            "DELETE FROM @projection_segments WHERE projection = ?",
            "DELETE FROM @projection_owners WHERE projection = ?",
            "DELETE FROM @projection_parked_events WHERE projection = ?",
            "DELETE FROM @projection_parked_keys WHERE projection = ?",
            "DELETE FROM @projection_dead_letters WHERE projection = ?",
            "DELETE FROM @projection_keys WHERE projection = ?");

    void run(String projection, int version, Act act) {
        database.withTimeout(WORK)
                .inTransaction("dropping version %d of projection '%s'".formatted(version, projection), transaction -> {
                    VersionTable.Stored dropped = take(transaction, projection, version);
                    dropTables(transaction, dropped);
                    deleteRows(transaction, dropped.state());
                    ProjectionAuditTable.add(transaction, projection, "drop", "version %d".formatted(version), act);
                    return dropped;
                });
    }

    private VersionTable.Stored take(ProjectionTransaction transaction, String projection, int version)
            throws SQLException {
        LiveAndCandidate.requireOther(LiveAndCandidate.take(transaction, projection), projection, version);
        QuiescedVersions.limitLocks(transaction, TIMEOUT);
        String state = ProjectionVersion.stateName(projection, version);
        try {
            ExclusiveVersionLock.take(transaction, state);
        } catch (ExclusiveVersionLock.NotHad e) {
            throw new IllegalStateException(
                    "version %d of projection '%s' could not be dropped: %s; nothing was changed: try again, or end that session"
                            .formatted(version, projection, ExclusiveVersionLock.holders(database, state)),
                    e);
        }
        return transaction.row(LOCK, p -> p.text(projection).number(version), VersionTable.Stored::read);
    }

    /** Drops only tables created for the version: the tables of a version that was never prepared are the live ones. */
    private static void dropTables(ProjectionTransaction transaction, VersionTable.Stored dropped) throws SQLException {
        Optional<String> schema = dropped.ownSchema();
        if (schema.isEmpty() || dropped.version().role() == VersionRole.LIVE) {
            return;
        }
        ProjectionVersion version = dropped.version();
        Optional<VersionSchemas.Found> there = VersionSchemas.find(transaction, schema.get(), version);
        if (there.isEmpty()) {
            return;
        }
        if (!there.get().own()) {
            throw refusal(
                    version,
                    "the comment of the schema '%s' shows that it was not created for this version"
                            .formatted(schema.get()),
                    "rename that schema",
                    null);
        }
        Set<String> tables = dropped.code().tables();
        List<String> others = SchemaContents.others(transaction, schema.get(), tables);
        if (!others.isEmpty()) {
            throw refusal(
                    version,
                    "its schema '%s' also has %s, which this version did not create".formatted(schema.get(), others),
                    "move that to another schema, or drop it",
                    null);
        }
        try {
            if (!tables.isEmpty()) {
                VersionSchemas.execute(
                        transaction, "DROP TABLE IF EXISTS " + VersionSchemas.quoted(schema.get(), tables));
            }
            VersionSchemas.execute(transaction, "DROP SCHEMA " + VersionSchemas.quoted(schema.get()));
        } catch (SQLException e) {
            if (DEPENDENT_OBJECTS.equals(e.getSQLState())) {
                throw refusal(
                        version,
                        "other database objects depend on its tables in the schema '%s', such as a view that was created while they were live: %s"
                                .formatted(schema.get(), detail(e)),
                        "drop these objects, or create them again over the live tables",
                        e);
            }
            throw e;
        }
    }

    private static IllegalStateException refusal(
            ProjectionVersion version, String why, String remedy, @Nullable Exception cause) {
        return new IllegalStateException(
                "version %d of projection '%s' could not be dropped: %s; nothing was changed: %s, and try again"
                        .formatted(version.version(), version.projection(), why, remedy),
                cause);
    }

    /** Returns the dependent objects, without the server's hint to drop them as well. */
    private static String detail(SQLException failure) {
        ServerErrorMessage message = failure instanceof PSQLException told ? told.getServerErrorMessage() : null;
        String detail = message == null ? null : message.getDetail();
        return String.valueOf(detail == null ? failure.getMessage() : detail).replace('\n', ',');
    }

    private static void deleteRows(ProjectionTransaction transaction, String state) throws SQLException {
        StatementBatch trip = transaction.next();
        OF_STATE.forEach(delete -> trip.update(delete, p -> p.text(state)));
        trip.run();
    }
}
