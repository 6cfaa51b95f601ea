package dev.spream.search.lucene;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchEngine;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchSchema;
import dev.spream.testkit.ContractRun;
import dev.spream.testkit.event.ContractBreakers;
import dev.spream.testkit.search.SearchFixture;
import dev.spream.testkit.search.SearchIndexContract;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The contract's own tests: an engine that does not keep a promise fails the test of that promise. */
final class SearchContractsTest {
    private static Duration limit = Duration.ZERO;

    @BeforeAll
    static void see_how_long_one_takes_that_keeps_the_contract() {
        limit = ContractRun.limit(SearchIndexContract.class, () -> new Run(engine -> engine));
    }

    @Test
    void an_engine_that_has_no_tombstones_fails() {
        contract(index -> spoilt(index, "write", (target, arguments) -> {
                    target.write(changes(arguments));
                    if (changes(arguments).stream().anyMatch(SearchChange.Delete.class::isInstance)) {
                        target.optimize(Duration.ZERO);
                    }
                    return null;
                }))
                .requireFailures(
                        "a_deleted_document_does_not_come_back_by_what_comes_late_or_again",
                        "a_deletion_that_comes_first_counts",
                        "changes_that_come_in_any_order_and_often_end_as_in_theirs",
                        "what_was_written_outlives_the_engine_tombstones_included");
    }

    @Test
    void an_engine_that_knows_no_versions_fails() {
        Map<String, Long> newest = new HashMap<>();
        contract(index -> spoilt(index, "write", (target, arguments) -> {
                    target.write(changes(arguments).stream()
                            .map(change -> at(change, next(newest, change.id())))
                            .toList());
                    return null;
                }))
                .requireFailures(
                        "what_is_not_newer_is_passed_over",
                        "a_deleted_document_does_not_come_back_by_what_comes_late_or_again");
    }

    private static long next(Map<String, Long> newest, String id) {
        synchronized (newest) {
            return newest.merge(id, 1L, Long::sum);
        }
    }

    private static SearchChange at(SearchChange change, long version) {
        return switch (change) {
            case SearchChange.Put put -> new SearchChange.Put(put.document(), version);
            case SearchChange.Merge merge -> new SearchChange.Merge(merge.id(), merge.fields(), version);
            case SearchChange.Delete delete -> new SearchChange.Delete(delete.id(), version);
        };
    }

    @Test
    void an_engine_whose_merges_are_puts_fails() {
        contract(index -> spoilt(index, "write", (target, arguments) -> {
                    target.write(changes(arguments).stream()
                            .map(SearchContractsTest::withoutMerge)
                            .toList());
                    return null;
                }))
                .requireFailures(
                        "a_merge_changes_its_fields_and_leaves_the_others",
                        "a_merge_of_a_document_that_is_not_there_makes_none",
                        "a_merge_does_not_bring_a_deleted_document_back");
    }

    private static SearchChange withoutMerge(SearchChange change) {
        return change instanceof SearchChange.Merge merge
                ? new SearchChange.Put(new SearchDocument(merge.id(), merge.fields()), merge.version())
                : change;
    }

    @Test
    void an_engine_that_searches_and_counts_otherwise_fails() {
        contract(index -> ContractBreakers.of(
                        SearchIndex.class,
                        index,
                        Map.of(
                                "search", (target, arguments) -> target.search(first((SearchQuery) arguments[0])),
                                "expect", (target, arguments) -> true,
                                "optimize", (target, arguments) -> null)))
                .requireFailures(
                        "filters_narrow_what_is_found",
                        "what_the_schema_does_not_offer_is_refused",
                        "pages_follow_each_other_and_the_total_counts_all",
                        "results_are_sorted_by_a_field_those_without_it_last",
                        "the_index_that_is_expected_is_written",
                        "optimizing_takes_tombstones_of_that_age_away_and_nothing_else");
    }

    private static SearchQuery first(SearchQuery query) {
        return new SearchQuery(query.text(), Map.of(), Optional.empty(), 0, 1_000);
    }

    @Test
    void an_engine_that_drops_nothing_and_keeps_its_first_schema_fails() {
        SearchSchema first = new SearchSchema(
                List.of("word", "definition"), Set.of("level", "tags", "common"), Set.of("word", "examples"));
        assertThat(contractOf(engine -> ContractBreakers.of(
                                SearchEngine.class,
                                engine,
                                Map.of(
                                        "drop", (target, arguments) -> true,
                                        "open", (target, arguments) -> target.open((String) arguments[0], first))))
                        .failures())
                .containsExactly(
                        "an_index_that_was_dropped_begins_anew",
                        "an_index_that_was_dropped_is_not_optimized_nor_made_anew_by_that",
                        "another_schema_holds_for_what_is_there_already",
                        "indexes_do_not_know_of_each_other");
    }

    @SuppressWarnings("unchecked")
    private static List<SearchChange> changes(Object[] arguments) {
        return (List<SearchChange>) arguments[0];
    }

    private static SearchIndex spoilt(SearchIndex index, String method, ContractBreakers.Answer<SearchIndex> answer) {
        return ContractBreakers.of(SearchIndex.class, index, method, answer);
    }

    private static ContractRun contract(UnaryOperator<SearchIndex> spoil) {
        return contractOf(engine -> ContractBreakers.of(
                SearchEngine.class,
                engine,
                "open",
                (target, arguments) -> spoil.apply(target.open((String) arguments[0], (SearchSchema) arguments[1]))));
    }

    private static ContractRun contractOf(UnaryOperator<SearchEngine> spoil) {
        return new ContractRun(SearchIndexContract.class, () -> new Run(spoil), limit);
    }

    /** The contract over a spoilt engine. */
    private static final class Run extends SearchIndexContract {
        private final UnaryOperator<SearchEngine> spoil;

        Run(UnaryOperator<SearchEngine> spoil) {
            this.spoil = spoil;
        }

        @Override
        protected SearchFixture createFixture() throws IOException {
            return new LuceneFixture(spoil);
        }

        // These take most of the time, and no engine here is spoilt in what they are about.

        @Override
        public void many_changes_fit_into_one_call() {}

        @Override
        public void of_several_writers_of_a_document_the_newest_wins() {}

        @Override
        public void optimizing_holds_up_neither_writers_nor_searches() {}
    }
}
