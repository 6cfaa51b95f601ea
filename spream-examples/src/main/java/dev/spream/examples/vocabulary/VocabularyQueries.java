package dev.spream.examples.vocabulary;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** Reads the read model, as JSON texts. Safe for use by many threads. */
record VocabularyQueries(DataSource database) {
    private static final String ENTRIES = """
            SELECT jsonb_build_object('entries', coalesce(jsonb_agg(entry ORDER BY word, entry_id), '[]'))
            FROM (
                SELECT * FROM vocabulary_entries WHERE starts_with(word, ?)
                ORDER BY word, entry_id LIMIT ? OFFSET ?) AS entry""";
    private static final String ENTRY = """
            SELECT to_jsonb(entry) || jsonb_build_object('items', (
                SELECT coalesce(jsonb_agg(item ORDER BY created_at, item_id), '[]')
                FROM (
                    SELECT its.*,
                        CASE WHEN is_ai_generated THEN 'AI' ELSE coalesce(name, created_by) END AS contributor_name,
                        (SELECT coalesce(jsonb_agg(example ORDER BY example.created_at, example_id), '[]')
                         FROM vocabulary_examples AS example WHERE example.item_id = its.item_id) AS examples
                    FROM vocabulary_items AS its LEFT JOIN vocabulary_contributors ON user_id = created_by
                    WHERE its.entry_id = entry.entry_id
                    ORDER BY created_at, item_id LIMIT ? OFFSET ?) AS item))
            FROM vocabulary_entries AS entry WHERE entry_id = ?""";
    private static final String NAME = """
            INSERT INTO vocabulary_contributors (user_id, name) VALUES (?, ?)
            ON CONFLICT (user_id) DO UPDATE SET name = excluded.name""";

    /** @param prefix the prefix of the word; empty for all */
    String entries(String prefix, int offset, int limit) throws SQLException {
        return query(ENTRIES, prefix, limit, offset).orElseThrow();
    }

    /** Returns the entry with some of its items and their examples. */
    Optional<String> entry(String entryId, int offset, int limit) throws SQLException {
        return query(ENTRY, limit, offset, entryId);
    }

    private Optional<String> query(String sql, Object... values) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement query = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                query.setObject(i + 1, values[i]);
            }
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
            }
        }
    }

    /** Sets the displayed name of a user, for all contributions. */
    void name(String userId, String name) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement upsert = connection.prepareStatement(NAME)) {
            upsert.setString(1, userId);
            upsert.setString(2, name);
            upsert.executeUpdate();
        }
    }
}
