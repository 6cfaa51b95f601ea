package dev.spream.storage.jdbc.projection;

import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.storage.jdbc.projection.internal.NamedVersions;
import dev.spream.storage.jdbc.projection.internal.ProjectionAuditTable;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StoredKeys;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Changes of parked aggregates by an operator. */
record ParkedChanges(ProjectionDatabase database) {
    private static final String LOCK = """
            SELECT k.key FROM @projection_keys k WHERE k.projection = ? AND k.key IN (
                SELECT p.key FROM @projection_parked_keys p WHERE p.projection = ? AND (?::text IS NULL OR p.key = ?))
            ORDER BY k.key FOR NO KEY UPDATE OF k""";

    private static final String TRY_AGAIN = """
            UPDATE @projection_parked_keys SET attempts = 0, next_try = least(next_try, clock_timestamp())
            WHERE projection = ? AND (?::text IS NULL OR key = ?)
            RETURNING true""";

    int retry(String name, Optional<String> id, Act act) {
        Optional<String> key = id.map(StoredKeys::of);
        String what = "retrying parked aggregates of '%s'".formatted(name);
        return database.inTransaction(what, transaction -> {
            Optional<String> state = new NamedVersions(database).share(transaction, what, name);
            return state.isPresent() ? retry(transaction, state.get(), key, id, act) : 0;
        });
    }

    private static int retry(
            ProjectionTransaction transaction, String projection, Optional<String> key, Optional<String> id, Act act)
            throws SQLException {
        lock(transaction, projection, key);
        List<Boolean> tried = transaction.rows(
                TRY_AGAIN, p -> p.text(projection).optionalText(key).optionalText(key), row -> row.getBoolean(1));
        int count = tried.size();
        if (count > 0) {
            String which = id.map("'%s'"::formatted).orElse("%d parked aggregates".formatted(count));
            ProjectionAuditTable.add(transaction, projection, "retry", which, act);
        }
        return count;
    }

    private static void lock(ProjectionTransaction transaction, String projection, Optional<String> key)
            throws SQLException {
        transaction.rows(
                LOCK,
                p -> p.text(projection).text(projection).optionalText(key).optionalText(key),
                row -> row.getString("key"));
    }

    boolean skip(String name, String id, long version, Act act) {
        String what = "skipping an event of projection '%s'".formatted(name);
        return database.inTransaction(what, transaction -> {
            Optional<String> state = new NamedVersions(database).share(transaction, what, name);
            return state.isPresent() && skip(transaction, state.get(), id, version, act);
        });
    }

    private static boolean skip(ProjectionTransaction transaction, String projection, String id, long version, Act act)
            throws SQLException {
        String key = StoredKeys.of(id);
        lock(transaction, projection, Optional.of(key));
        List<ParkedAggregate> parked = transaction.rows(
                ParkedAggregateTable.ONE, p -> p.text(projection).text(key), ParkedAggregateTable::read);
        if (parked.isEmpty() || parked.getFirst().firstVersion() != version) {
            return false;
        }
        parked.getFirst().requireNothingMissing(projection);
        DeadLetterTable.skip(transaction, projection, key, version);
        ParkedRetry.forget(transaction, projection, key, version);
        ProjectionAuditTable.add(transaction, projection, "skip", "version %d of '%s'".formatted(version, id), act);
        return true;
    }
}
