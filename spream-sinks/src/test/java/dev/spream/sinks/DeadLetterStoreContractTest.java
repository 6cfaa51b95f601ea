package dev.spream.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.consume.DeadLetterSinkFixture;
import dev.spream.testkit.consume.DeadLetterStoreContract;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The contract's own tests: a store that does not keep a promise fails the test of that promise. */
final class DeadLetterStoreContractTest {

    @Test
    void a_store_that_keeps_the_contract_fails_nothing() {
        assertThat(failuresOf(ForwardingStore::new)).isEmpty();
    }

    @Test
    void a_store_that_does_nothing_fails_all_but_what_asks_for_nothing() {
        Set<String> passed =
                new TreeSet<>(contractTests().stream().map(Method::getName).toList());
        passed.removeAll(failures(NoopFixture::new, name -> true));
        assertThat(passed)
                .containsExactly(
                        "a_change_that_failed_parks_nothing",
                        "a_sink_without_letters_has_parked_nothing",
                        "what_is_not_there_cannot_be_claimed_or_discarded");
    }

    @Test
    void a_store_that_forgets_letters_fails() {
        requireFailures(
                MemoryFixture::new,
                "a_letter_is_durable_when_accept_returns",
                "a_parked_change_parks_all_its_keys_and_keeps_them_parked",
                "many_threads_lose_nothing");
        requireFailures(
                spoiled(ForgetfulStores.ForgetsWhatIsBehind::new),
                "a_change_behind_a_parked_one_is_kept_and_parks_its_other_keys",
                "a_change_that_comes_again_after_its_letter_was_resolved_is_kept_again");
        requireFailures(
                spoiled(ForgetfulStores.ForgetsReplays::new),
                "a_letter_that_was_replayed_is_not_open_any_more",
                "a_key_is_released_when_none_of_its_letters_is_open");
        requireFailures(
                spoiled(ForgetfulStores.ResolvesWhatWasRefused::new),
                "of_letters_claimed_together_those_that_were_taken_are_resolved");
        requireFailures(
                spoiled(ForgetfulStores.ListsBackwards::new),
                "letters_are_listed_in_commit_order_whatever_the_order_they_came_in");
    }

    @Test
    void a_store_that_forgets_keys_fails() {
        requireFailures(
                spoiled(ForgetfulStores.ParksOneKey::new),
                "a_parked_change_parks_all_its_keys_and_keeps_them_parked",
                "a_change_behind_a_parked_one_is_kept_and_parks_its_other_keys");
        requireFailures(
                spoiled(ForgetfulStores.ComparesText::new),
                "keys_are_parked_by_what_they_name_and_not_by_how_they_are_written");
        assertThat(failuresOf(ForgetfulStores.NeverReleases::new))
                .containsExactly("a_change_of_a_released_key_is_not_kept_behind_it");
        assertThat(failuresOf(ForgetfulStores.ReleasesBlindly::new))
                .containsExactly(
                        "a_key_is_released_when_none_of_its_letters_is_open",
                        "of_several_keys_all_are_released_or_none");
        assertThat(failuresOf(ForgetfulStores.ReleasesWithoutLooking::new))
                .containsExactly("a_replay_releases_in_one_step_the_keys_that_no_letter_is_left_of");
        assertThat(failuresOf(ForgetfulStores.ReleasesOneByOne::new))
                .containsExactly("of_several_keys_all_are_released_or_none");
    }

    @Test
    void a_store_that_forgets_what_was_overtaken_fails() {
        requireFailures(
                spoiled(ForgetfulStores.ForgetsDeliveries::new),
                "a_letter_is_overtaken_by_a_later_change_of_one_of_its_keys",
                "deliveries_of_a_key_wait_while_a_letter_of_it_is_claimed");
        requireFailures(
                spoiled(ForgetfulStores.ForgetsWhatWasOvertaken::new),
                "a_letter_is_overtaken_by_a_later_change_of_one_of_its_keys");
    }

    private static Supplier<DeadLetterSinkFixture> spoiled(UnaryOperator<DeadLetterStore> spoiler) {
        return () -> new JsonlFixture(spoiler);
    }

    /** Runs these tests of the contract alone, each of which has to fail. */
    private static void requireFailures(Supplier<DeadLetterSinkFixture> fixtures, String... tests) {
        assertThat(failures(fixtures, Set.of(tests)::contains)).containsExactlyInAnyOrder(tests);
    }

    private static Set<String> failuresOf(UnaryOperator<DeadLetterStore> spoiler) {
        return failures(spoiled(spoiler), name -> true);
    }

    /** The names of the contract's tests that fail, of those with such names. */
    private static Set<String> failures(Supplier<DeadLetterSinkFixture> fixtures, Predicate<String> names) {
        Set<String> failed = new TreeSet<>();
        contractTests().stream()
                .filter(test -> names.test(test.getName()))
                .filter(test -> !passes(test, fixtures))
                .forEach(test -> failed.add(test.getName()));
        return failed;
    }

    private static List<Method> contractTests() {
        List<Method> tests = Arrays.stream(DeadLetterStoreContract.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .sorted(Comparator.comparing(Method::getName))
                .toList();
        assertThat(tests).hasSizeGreaterThan(25);
        return tests;
    }

    private static boolean passes(Method test, Supplier<DeadLetterSinkFixture> fixtures) {
        DeadLetterStoreContract contract = new DeadLetterStoreContract() {
            @Override
            protected DeadLetterSinkFixture createFixture() {
                return fixtures.get();
            }
        };
        try {
            contract.openFixture();
            try {
                test.invoke(contract);
                return true;
            } finally {
                contract.closeFixture();
            }
        } catch (InvocationTargetException e) {
            return false;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** A sink that keeps nothing. */
    private static final class NoopFixture implements DeadLetterSinkFixture {
        private final DeadLetterStore sink = new ForgetfulStores.Noop();

        @Override
        public DeadLetterSink sink() {
            return sink;
        }

        @Override
        public void restart() {}

        @Override
        public List<DataChangeRecord> kept() {
            return List.of();
        }

        @Override
        public void close() {}
    }

    /** A sink that forgets everything in a crash. */
    private static final class MemoryFixture implements DeadLetterSinkFixture {
        private JsonlFixture memory = new JsonlFixture();

        @Override
        public DeadLetterSink sink() {
            return memory.sink();
        }

        @Override
        public void restart() throws Exception {
            memory.close();
            memory = new JsonlFixture();
        }

        @Override
        public List<DataChangeRecord> kept() throws Exception {
            return memory.kept();
        }

        @Override
        public void close() throws Exception {
            memory.close();
        }
    }
}
