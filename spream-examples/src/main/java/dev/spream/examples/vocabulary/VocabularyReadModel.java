package dev.spream.examples.vocabulary;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import dev.spream.projection.FailureKind;
import dev.spream.projection.FoldableProjection;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.event.EventEnvelope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Entries, their items and examples as tables. Each batch takes a fixed number of statements, independent of the number
 * of its events and their items.
 *
 * <p>Counts are computed from the rows of the entries in a batch, in the batch's transaction, so that they cannot
 * drift. The cost grows with the number of items of an entry; with many thousands in one, increment the counts instead.
 */
final class VocabularyReadModel
        implements FoldableProjection<Connection, EntryRows>, RebuildableProjection<Connection> {
    static final String NAME = "vocabulary_read_model";

    private static final String INSERT_ENTRIES = """
            INSERT INTO vocabulary_entries (
                entry_id, word, reading, part_of_speech, created_by, created_at, updated_at, version)
            SELECT entry_id, word, reading, part_of_speech, created_by, created_at, created_at, 1
            FROM jsonb_to_recordset(?::jsonb) AS new (
                entry_id text, word text, reading text, part_of_speech text, created_by text, created_at timestamptz)""";
    private static final String DELETE_ITEMS = """
            DELETE FROM vocabulary_items WHERE item_id IN (SELECT jsonb_array_elements_text(?::jsonb))""";
    private static final String INSERT_ITEMS = """
            INSERT INTO vocabulary_items (
                item_id, entry_id, word, definition, difficulty, categories, tags, quality_score, created_by, created_at,
                updated_at, version, is_ai_generated, review_status)
            SELECT item_id, entry_id, word, definition, difficulty, categories, tags, quality_score, created_by, created_at,
                updated_at, version, is_ai_generated, review_status
            FROM jsonb_to_recordset(?::jsonb) AS new (
                item_id text, entry_id text, word text, definition text, difficulty text, categories text[], tags text[],
                quality_score double precision, created_by text, created_at timestamptz, updated_at timestamptz,
                version bigint, is_ai_generated boolean, review_status text)""";
    private static final String UPDATE_ITEMS = """
            UPDATE vocabulary_items AS stored
            SET definition = coalesce(new.definition, stored.definition),
                difficulty = coalesce(new.difficulty, stored.difficulty),
                categories = coalesce(new.categories, stored.categories),
                tags = coalesce(new.tags, stored.tags),
                quality_score = coalesce(new.quality_score, stored.quality_score),
                review_status = coalesce(new.review_status, stored.review_status),
                updated_at = new.updated_at,
                version = new.version
            FROM jsonb_to_recordset(?::jsonb) AS new (
                item_id text, definition text, difficulty text, categories text[], tags text[],
                quality_score double precision, review_status text, updated_at timestamptz, version bigint)
            WHERE stored.item_id = new.item_id AND stored.version < new.version""";
    private static final String INSERT_EXAMPLES = """
            INSERT INTO vocabulary_examples (
                example_id, item_id, sentence, translation, source, tags, created_by, created_at)
            SELECT example_id, item_id, sentence, translation, source, tags, created_by, created_at
            FROM jsonb_to_recordset(?::jsonb) AS new (
                example_id text, item_id text, sentence text, translation text, source text, tags text[],
                created_by text, created_at timestamptz)""";
    private static final String COUNT_EXAMPLES = """
            UPDATE vocabulary_items AS stored
            SET example_count = (SELECT count(*) FROM vocabulary_examples AS its WHERE its.item_id = stored.item_id)
            WHERE item_id IN (SELECT item_id FROM jsonb_to_recordset(?::jsonb) AS new (item_id text))""";
    private static final String COUNT_ITEMS = """
            UPDATE vocabulary_entries AS stored
            SET item_count = by_difficulty.items, total_examples = by_difficulty.examples,
                difficulty_distribution = by_difficulty.distribution,
                category_distribution = by_category.distribution,
                updated_at = last.updated_at, version = last.version
            FROM jsonb_to_recordset(?::jsonb) AS last (entry_id text, updated_at timestamptz, version bigint)
            CROSS JOIN LATERAL (
                SELECT coalesce(sum(items), 0) AS items, coalesce(sum(examples), 0) AS examples,
                    coalesce(jsonb_object_agg(difficulty, items), '{}') AS distribution
                FROM (
                    SELECT difficulty, count(*) AS items, sum(example_count) AS examples
                    FROM vocabulary_items AS its WHERE its.entry_id = last.entry_id GROUP BY difficulty) AS counted
            ) AS by_difficulty
            CROSS JOIN LATERAL (
                SELECT coalesce(jsonb_object_agg(category, items), '{}') AS distribution
                FROM (
                    SELECT category, count(*) AS items
                    FROM vocabulary_items AS its, unnest(its.categories) AS category
                    WHERE its.entry_id = last.entry_id GROUP BY category) AS counted
            ) AS by_category
            WHERE stored.entry_id = last.entry_id""";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> eventTypes() {
        return VocabularyEvent.TYPES;
    }

    @Override
    public Set<String> tables() {
        return VocabularyTables.OF_READ_MODEL;
    }

    @Override
    public void create(Connection transaction) throws SQLException {
        VocabularyTables.createReadModel(transaction);
    }

    @Override
    public EntryRows fold(@Nullable EntryRows folded, EventEnvelope event) {
        EntryRows rows = folded == null ? new EntryRows() : folded;
        rows.add(event);
        return rows;
    }

    @Override
    public void write(Connection transaction, Map<String, EntryRows> folded) throws SQLException {
        Collection<EntryRows> all = folded.values();
        execute(
                transaction,
                INSERT_ENTRIES,
                rows(all, rows -> rows.entry().stream().toList()));
        requireAll(
                "items to delete",
                transaction,
                DELETE_ITEMS,
                rows(all, rows -> EventCodec.array(rows.deletions()).asList()));
        execute(transaction, INSERT_ITEMS, rows(all, EntryRows::items));
        requireAll("items to change, in the version before,", transaction, UPDATE_ITEMS, rows(all, EntryRows::changes));
        JsonArray examples = rows(all, EntryRows::examples);
        execute(transaction, INSERT_EXAMPLES, examples);
        execute(transaction, COUNT_EXAMPLES, examples);
        requireAll("entries", transaction, COUNT_ITEMS, rows(all, rows -> List.of(rows.last())));
    }

    private static JsonArray rows(Collection<EntryRows> all, Function<EntryRows, List<? extends JsonElement>> which) {
        JsonArray array = new JsonArray();
        all.forEach(rows -> which.apply(rows).forEach(array::add));
        return array;
    }

    /** Fails unless all changed rows exist: an event without a row means that an earlier event is missing. */
    private static void requireAll(String what, Connection transaction, String sql, JsonArray rows)
            throws SQLException {
        int found = execute(transaction, sql, rows);
        if (found != rows.size()) {
            throw new ProjectionException(
                    FailureKind.POISON,
                    "%d of %d %s are not in the read model; an earlier event is missing"
                            .formatted(rows.size() - found, rows.size(), what),
                    null);
        }
    }

    private static int execute(Connection transaction, String sql, JsonArray rows) throws SQLException {
        if (rows.isEmpty()) {
            return 0;
        }
        try (PreparedStatement statement = transaction.prepareStatement(sql)) {
            statement.setString(1, rows.toString());
            return statement.executeUpdate();
        }
    }
}
