package dev.spream.testkit.consume;

import static dev.spream.testkit.consume.Changes.key;
import static dev.spream.testkit.consume.DeadLetters.behind;
import static dev.spream.testkit.consume.DeadLetters.failed;
import static dev.spream.testkit.consume.DeadLetters.parked;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link DeadLetterSink} as tests. Extend it in the tests of a sink; every test gets a fixture of its
 * own. For a sink that also returns letters, extend {@link DeadLetterStoreContract}, which includes these tests.
 */
@SuppressWarnings("JUnitClassModifiers") // plug-in authors extend it elsewhere
public abstract class DeadLetterSinkContract {
    private DeadLetterSinkFixture fixture;

    /** Returns a fixture over an empty sink. */
    protected abstract DeadLetterSinkFixture createFixture() throws Exception;

    @BeforeEach
    public final void openFixture() throws Exception {
        fixture = createFixture();
    }

    @AfterEach
    public final void closeFixture() throws Exception {
        fixture.close();
    }

    final DeadLetterSinkFixture given() {
        return fixture;
    }

    final DeadLetterSink sink() {
        return fixture.sink();
    }

    @Test
    public final void a_letter_is_durable_when_accept_returns() throws Exception {
        sink().accept(failed(Changes.of(1, "A")));
        sink().accept(parked(Changes.of(2, "B")));
        sink().accept(behind(Changes.of(3, "B")));
        fixture.restart();
        assertThat(fixture.kept())
                .containsExactlyInAnyOrder(Changes.of(1, "A"), Changes.of(2, "B"), Changes.of(3, "B"));
    }

    @Test
    public final void a_change_is_kept_whatever_it_holds() throws Exception {
        List<DataChangeRecord> changes = List.of(
                Changes.withValues(1, "{ \"Null\" : null,\n \"Nested\": {\"a\": [1, 2.50, true]} }", "A"),
                Changes.withValues(2, "{\"Text\":\"\\u0000\\n\\\"ü€😀\u2028\"}", "key with \\u00fc and 😀"),
                Changes.withValues(3, "{\"Long\":\"" + "x".repeat(200_000) + "\"}", "A"));
        for (DataChangeRecord change : changes) {
            sink().accept(failed(change));
        }
        fixture.restart();
        assertThat(fixture.kept()).containsExactlyInAnyOrderElementsOf(changes);
    }

    @Test
    public final void a_change_that_comes_again_is_kept_once() throws Exception {
        sink().accept(failed(Changes.of(1, "A")));
        sink().accept(failed(Changes.of(1, "A")));
        sink().accept(parked(Changes.of(2, "B")));
        fixture.restart();
        sink().accept(failed(Changes.of(1, "A")));
        sink().accept(behind(Changes.of(2, "B")));
        fixture.restart();
        assertThat(fixture.kept()).containsExactlyInAnyOrder(Changes.of(1, "A"), Changes.of(2, "B"));
    }

    @Test
    public final void a_sink_without_letters_has_parked_nothing() throws Exception {
        assertThat(sink().parkedKeys()).isEmpty();
        assertThat(fixture.kept()).isEmpty();
    }

    @Test
    public final void a_change_that_failed_parks_nothing() throws Exception {
        sink().accept(failed(Changes.of(1, "A")));
        assertThat(sink().parkedKeys()).isEmpty();
        fixture.restart();
        assertThat(sink().parkedKeys()).isEmpty();
    }

    @Test
    public final void a_change_that_failed_and_is_parked_when_it_comes_again_parks_its_keys() throws Exception {
        sink().accept(failed(Changes.of(1, "A")));
        sink().accept(parked(Changes.of(1, "A")));
        fixture.restart();
        assertThat(sink().parkedKeys()).containsExactly(key("A"));
        assertThat(fixture.kept()).containsExactly(Changes.of(1, "A"));
    }

    @Test
    public final void a_parked_change_parks_all_its_keys_and_keeps_them_parked() throws Exception {
        sink().accept(parked(Changes.of(1, "A", "B")));
        assertThat(sink().parkedKeys()).containsExactlyInAnyOrder(key("A"), key("B"));
        fixture.restart();
        assertThat(sink().parkedKeys()).containsExactlyInAnyOrder(key("A"), key("B"));
    }

    @Test
    public final void a_change_behind_a_parked_one_is_kept_and_parks_its_other_keys() throws Exception {
        sink().accept(parked(Changes.of(1, "A")));
        assertThat(sink().acceptIfParked(behind(Changes.of(2, "A", "B")))).isTrue();
        assertThat(sink().acceptIfParked(behind(Changes.of(3, "B", "C")))).isTrue();
        fixture.restart();
        assertThat(sink().parkedKeys()).containsExactlyInAnyOrder(key("A"), key("B"), key("C"));
        assertThat(fixture.kept()).hasSize(3);
    }

    @Test
    public final void keys_are_parked_by_what_they_name_and_not_by_how_they_are_written() throws Exception {
        sink().accept(parked(Changes.of(1, "\\u0041")));
        fixture.restart();
        assertThat(sink().parkedKeys()).containsExactly(key("A"));
    }

    @Test
    public final void a_parked_change_that_comes_again_after_its_successors_is_kept_once() throws Exception {
        sink().accept(parked(Changes.of(5, "A")));
        assertThat(sink().acceptIfParked(behind(Changes.of(6, "A")))).isTrue();
        fixture.restart();
        for (int second = 4; second <= 6; second++) {
            assertThat(sink().acceptIfParked(behind(Changes.of(second, "A")))).isTrue();
        }
        assertThat(fixture.kept())
                .containsExactlyInAnyOrder(Changes.of(4, "A"), Changes.of(5, "A"), Changes.of(6, "A"));
    }

    @Test
    public final void many_threads_lose_nothing() throws Exception {
        List<Future<?>> accepted = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 200; i++) {
                DeadLetter letter = i % 2 == 0 ? failed(Changes.of(i, "A" + i)) : parked(Changes.of(i, "A" + i));
                accepted.add(threads.submit(() -> {
                    sink().accept(letter);
                    return null;
                }));
            }
            for (Future<?> each : accepted) {
                each.get();
            }
        }
        fixture.restart();
        assertThat(fixture.kept().stream().map(DataChangeRecord::identity))
                .hasSize(200)
                .doesNotHaveDuplicates()
                .contains(identity(0), identity(199));
        assertThat(sink().parkedKeys()).hasSize(100);
    }

    public static RecordIdentity identity(long second) {
        return Changes.of(second, "A").identity();
    }
}
