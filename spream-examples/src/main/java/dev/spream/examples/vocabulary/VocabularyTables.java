package dev.spream.examples.vocabulary;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/**
 * The tables of the read model, without the name of a schema: the connection's search path determines it, so that a
 * second set can be built next to the live one.
 */
final class VocabularyTables {
    static final Set<String> OF_READ_MODEL = Set.of("vocabulary_entries", "vocabulary_items", "vocabulary_examples");

    private static final List<String> READ_MODEL = List.of(
            """
            CREATE TABLE IF NOT EXISTS vocabulary_entries (
                entry_id text PRIMARY KEY,
                word text NOT NULL,
                reading text NOT NULL,
                part_of_speech text NOT NULL,
                item_count bigint NOT NULL DEFAULT 0,
                total_examples bigint NOT NULL DEFAULT 0,
                difficulty_distribution jsonb NOT NULL DEFAULT '{}',
                category_distribution jsonb NOT NULL DEFAULT '{}',
                created_by text NOT NULL,
                created_at timestamptz NOT NULL,
                updated_at timestamptz NOT NULL,
                version bigint NOT NULL)""",
            """
            CREATE TABLE IF NOT EXISTS vocabulary_items (
                item_id text PRIMARY KEY,
                entry_id text NOT NULL REFERENCES vocabulary_entries,
                word text NOT NULL,
                definition text NOT NULL,
                difficulty text NOT NULL,
                categories text[] NOT NULL,
                tags text[] NOT NULL,
                quality_score double precision NOT NULL,
                example_count bigint NOT NULL DEFAULT 0,
                created_by text NOT NULL,
                created_at timestamptz NOT NULL,
                updated_at timestamptz NOT NULL,
                version bigint NOT NULL,
                is_ai_generated boolean NOT NULL,
                review_status text NOT NULL)""",
            """
            CREATE TABLE IF NOT EXISTS vocabulary_examples (
                example_id text PRIMARY KEY,
                item_id text NOT NULL REFERENCES vocabulary_items ON DELETE CASCADE,
                sentence text NOT NULL,
                translation text NOT NULL,
                source text NOT NULL,
                tags text[] NOT NULL,
                created_by text NOT NULL,
                created_at timestamptz NOT NULL,
                usage_count bigint NOT NULL DEFAULT 0,
                helpfulness_score double precision NOT NULL DEFAULT 0)""",
            "CREATE INDEX IF NOT EXISTS vocabulary_entries_word ON vocabulary_entries (word text_pattern_ops, entry_id)",
            "CREATE INDEX IF NOT EXISTS vocabulary_items_entry ON vocabulary_items (entry_id)",
            "CREATE INDEX IF NOT EXISTS vocabulary_examples_item ON vocabulary_examples (item_id)");

    /** Names of users, which come from no event. */
    private static final String CONTRIBUTORS = """
            CREATE TABLE IF NOT EXISTS vocabulary_contributors (user_id text PRIMARY KEY, name text NOT NULL)""";

    private static final String LOCK =
            "SELECT pg_advisory_xact_lock(hashtextextended('spream-examples vocabulary tables', 0))";

    private VocabularyTables() {}

    /** Creates missing tables. Services that start concurrently wait for each other. */
    static void create(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute(LOCK);
                statement.execute(CONTRIBUTORS);
            }
            createReadModel(connection);
            connection.commit();
        }
    }

    /** Creates missing tables of the read model, in the schema of the search path. */
    static void createReadModel(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            for (String sql : READ_MODEL) {
                statement.execute(sql);
            }
        }
    }
}
