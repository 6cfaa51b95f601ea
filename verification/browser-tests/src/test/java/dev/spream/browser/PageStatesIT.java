package dev.spream.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the page with responses that are hard to provoke: hostile names, thousands of partitions, outdated data. */
final class PageStatesIT {
    private static final String HOSTILE =
            "\"><img src=x onerror=\"window.broken = true\"><script>window.broken = true</script>";

    @SuppressWarnings("NullAway.Init")
    private static Chromium browser;

    @BeforeAll
    static void start() {
        browser = Chromium.start();
    }

    @AfterAll
    static void stop() {
        browser.close();
    }

    @Test
    void names_and_messages_are_text_whatever_they_contain() throws Exception {
        SampleAnswer answer = new SampleAnswer()
                .with("stream", HOSTILE)
                .with("worker", HOSTILE)
                .with("workers", List.of(Map.of("worker", HOSTILE, "held", 1, "capacity", 1, "alive", true)))
                .with("counts", Map.of(HOSTILE, 3, "reconnects", Map.of(HOSTILE, 1)))
                .with(
                        "failures",
                        List.of(Map.of(
                                "at",
                                "2026-01-01T00:00:00Z",
                                "what",
                                HOSTILE,
                                "partition",
                                HOSTILE,
                                "message",
                                HOSTILE)))
                .finished("parent " + HOSTILE, 90)
                .running(HOSTILE, HOSTILE, "parent " + HOSTILE);
        try (PageServer server = PageServer.start(answer.answer())) {
            open(server);
            assertThat(text("#stream")).isEqualTo(HOSTILE);
            assertThat(text("#failures")).contains(HOSTILE);
            assertThat(text("#workers")).contains("\"><img");
            Shown shown = Shown.in(browser);
            assertThat(shown.rows()).containsKey(HOSTILE);
            assertThat(shown.edges()).containsExactly(new Shown.Edge("parent " + HOSTILE, HOSTILE));
            assertThat(browser.run("return document.images.length + document.querySelectorAll('body script').length"))
                    .isEqualTo(0L);
            assertThat(browser.run("return window.broken === undefined")).isEqualTo(true);
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void the_drawing_does_not_grow_while_nothing_changes() throws Exception {
        SampleAnswer answer = new SampleAnswer()
                .with(
                        "workers",
                        List.of(
                                Map.of("worker", "nobody", "held", 1, "capacity", 1, "alive", true),
                                Map.of("worker", "nobody", "held", 1, "capacity", 1, "alive", false)))
                .finished("parent", 90)
                .running("child", "nobody", "parent", "parent");
        try (PageServer server = PageServer.start(answer.answer())) {
            open(server);
            Object first = browser.run(ELEMENTS);
            for (int i = 1; i <= 2; i++) {
                String now = Instant.now().plusSeconds(i).toString();
                server.answer(answer.with("now", now).answer());
                browser.await("later answer", "return document.body.dataset.now === arguments[0]", now);
            }
            assertThat(browser.run(ELEMENTS)).isEqualTo(first);
        }
    }

    /** But for the names on the axis, of which there are more or fewer as time goes by. */
    private static final String ELEMENTS =
            "return document.querySelectorAll('*').length - document.querySelectorAll('#graph .axis *').length";

    @Test
    void of_thousands_of_partitions_the_newest_are_drawn_and_the_others_are_counted() throws Exception {
        SampleAnswer answer = new SampleAnswer().with("partitions_left_out", 1_000);
        for (int i = 0; i < 5_000; i++) {
            answer.finished("finished-" + i, 200 + i);
        }
        for (int i = 0; i < 7; i++) {
            answer.running("running-" + i, SampleAnswer.WORKER, "finished-" + i);
        }
        try (PageServer server = PageServer.start(answer.answer())) {
            open(server);
            Shown shown = Shown.in(browser);
            assertThat(shown.rows()).hasSize(200).containsKeys("running-0", "running-6", "finished-0");
            assertThat(shown.rows()).doesNotContainKey("finished-4999");
            assertThat(browser.run("return document.querySelectorAll('#graph g.bar').length"))
                    .isEqualTo(200L);
            assertThat(text("#left-out")).contains("200").contains("5,807 older");
            assertThat(text("#partition-counts")).contains("6,000 finished");
        }
    }

    @Test
    void before_there_is_anything_it_says_what_it_waits_for() throws Exception {
        try (PageServer server =
                PageServer.start(new SampleAnswer().with("phase", "starting").answer())) {
            open(server);
            assertThat(text("#state")).contains("waiting");
            assertThat(text("#state-detail")).contains("open its storage");
            assertThat(text("#nothing")).contains("first query");
            assertThat(text("#no-failures")).isEqualTo("None.");
        }
    }

    @Test
    void the_page_shows_stale_and_disconnected_states_and_recovers() throws Exception {
        try (PageServer server = PageServer.start(
                new SampleAnswer().running("p", SampleAnswer.WORKER).answer())) {
            open(server);
            awaitState("live");
            server.answer(new SampleAnswer()
                    .running("p", SampleAnswer.WORKER)
                    .with("read_age_seconds", 75.0)
                    .with("storage_error", "the connection was refused")
                    .answer());
            awaitState("stale");
            assertThat(text("#state-detail")).contains("1 min 15 s").contains("the connection was refused");
            server.stop();
            awaitState("disconnected");
            assertThat(text("#state-detail")).contains("cannot be reached").contains("Retrying");
            assertThat(Shown.in(browser).rows()).as("what was known last").containsKey("p");
            server.answer(new SampleAnswer().running("q", SampleAnswer.WORKER).answer());
            server.restart();
            awaitState("live");
            assertThat(Shown.in(browser).rows()).containsOnlyKeys("q");
            assertThat(browser.complaints()).allMatch(line -> line.contains("ERR_CONNECTION"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "draining, draining, being finished",
        "ended, ended, resumes from its stored watermarks",
        "failed, failed, it broke",
    })
    void the_end_is_told_as_what_it_is(String phase, String state, String detail) throws Exception {
        try (PageServer server = PageServer.start(new SampleAnswer()
                .with("phase", phase)
                .with("problem", "it broke")
                .answer())) {
            open(server);
            awaitState(state);
            assertThat(text("#state")).contains(state);
            assertThat(text("#state-detail")).contains(detail);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1.2, 600000, on time, plenty",
        "45, 200000, behind, shrinking",
        "86400, 0, far behind, changes are being lost"
    })
    void a_level_is_a_word_beside_its_colour(double lag, double left, String lagWord, String leftWord)
            throws Exception {
        try (PageServer server = PageServer.start(new SampleAnswer()
                .with("lag_seconds", lag)
                .with("retention_seconds", 604_800)
                .with("lost_in_seconds", left)
                .answer())) {
            open(server);
            assertThat(text("#lag-verdict")).isEqualTo(lagWord);
            assertThat(text("#retention-verdict")).isEqualTo(leftWord);
        }
    }

    @Test
    void each_worker_has_a_letter_and_a_colour_of_its_own() throws Exception {
        SampleAnswer answer = new SampleAnswer()
                .with(
                        "workers",
                        List.of(
                                Map.of("worker", "worker-1", "held", 2, "capacity", 10, "alive", true),
                                Map.of("worker", "worker-2", "held", 1, "capacity", 10, "alive", false)))
                .running("one", "worker-1")
                .running("two", "worker-1")
                .running("three", "worker-2");
        try (PageServer server = PageServer.start(answer.answer())) {
            open(server);
            Map<String, Shown.Row> rows = Shown.in(browser).rows();
            assertThat(rows.get("one")).matches(row -> row != null && row.text().contains("A worker-1"));
            assertThat(rows.get("three"))
                    .matches(row -> row != null && row.text().contains("B worker-2"));
            assertThat(text("#legend")).contains("A", "worker-1", "B", "worker-2", "waiting or ended");
            assertThat(text("#workers"))
                    .contains("2 partitions of at most 10")
                    .contains("1 partition of at most 10, gone");
            assertThat(colour("one")).isEqualTo(colour("two")).isNotEqualTo(colour("three"));
        }
    }

    private static String colour(String token) {
        return String.valueOf(browser.run(
                "return getComputedStyle(document.querySelector(`#graph g[data-token=${arguments[0]}] .full`)).stroke",
                token));
    }

    @Test
    void a_window_leaves_out_what_ended_before_it_and_the_table_does_not() throws Exception {
        SampleAnswer answer = new SampleAnswer().finished("old", 4_000).running("new", SampleAnswer.WORKER, "old");
        try (PageServer server = PageServer.start(answer.answer())) {
            open(server);
            assertThat(bars()).isEqualTo(2L);
            browser.run(CHOOSE, "900");
            assertThat(bars()).isEqualTo(1L);
            assertThat(Shown.in(browser).rows()).containsOnlyKeys("old", "new");
            browser.run(CHOOSE, "0");
            assertThat(bars()).isEqualTo(2L);
        }
    }

    private static final String CHOOSE = """
            const window = document.getElementById("window");
            window.value = arguments[0];
            return window.dispatchEvent(new Event("change"));""";

    private static Object bars() {
        return browser.run("return document.querySelectorAll('#graph g.bar').length");
    }

    @ParameterizedTest
    @CsvSource({"no-preference, pulse", "reduce, none"})
    void nothing_moves_if_reduced_motion_is_preferred(String motion, String animation) throws Exception {
        try (PageServer server = PageServer.start(
                new SampleAnswer().running("p", SampleAnswer.WORKER).answer())) {
            browser.prefer("prefers-reduced-motion", motion);
            open(server);
            assertThat(browser.run("return getComputedStyle(document.querySelector('.pulse')).animationName"))
                    .isEqualTo(animation);
        } finally {
            browser.prefer("prefers-color-scheme", "light");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {320, 390, 768, 880, 1120, 2560})
    void nothing_has_to_be_scrolled_to_the_side(int width) throws Exception {
        String token = "t".repeat(1_500);
        SampleAnswer answer = new SampleAnswer()
                .with("lag_seconds", 123_456)
                .with("stream", "s".repeat(128))
                .finished(token, 90);
        answer.running("child", "w".repeat(150), token);
        try (PageServer server = PageServer.start(answer.answer())) {
            browser.becomePhone(width, 800);
            open(server);
            assertThat(browser.run("return document.documentElement.scrollWidth"))
                    .isEqualTo((long) width);
        } finally {
            browser.becomeDesktop(1440, 1300);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void text_stands_out_from_what_is_behind_it(String scheme) throws Exception {
        try (PageServer server = PageServer.start(new SampleAnswer().answer())) {
            browser.prefer("prefers-color-scheme", scheme);
            open(server);
            Object weakest = browser.run(CONTRAST);
            assertThat(((List<?>) weakest))
                    .as("colours below a contrast of 4.5 to 1")
                    .isEmpty();
            boolean dark = Boolean.TRUE.equals(browser.run(
                    "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every(part => part < 60)"));
            assertThat(dark).isEqualTo(scheme.equals("dark"));
        } finally {
            browser.prefer("prefers-color-scheme", "light");
        }
    }

    /** WCAG 2's contrast ratio of each colour of text on each background: those that are too weak. */
    private static final String CONTRAST = """
            const style = getComputedStyle(document.documentElement);
            const light = name => {
              const hex = style.getPropertyValue(name).trim().slice(1);
              const parts = [0, 2, 4].map(at => parseInt(hex.slice(at, at + 2), 16) / 255)
                  .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
              return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
            };
            const ratio = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
            const texts = ["--ink", "--muted", "--accent", "--good", "--watch", "--bad",
                ...[0, 1, 2, 3, 4, 5, 6, 7].map(place => `--worker-${place}`)];
            return texts.flatMap(text => ["--paper", "--panel"].map(back => [text, back, ratio(light(text), light(back))]))
                .filter(([, , contrast]) => !(contrast >= 4.5)).map(String);""";

    private static void open(PageServer server) {
        browser.open(server.page());
        browser.await("answer", "return document.body.dataset.now");
    }

    private static void awaitState(String state) throws IOException {
        browser.await("state " + state, "return document.body.dataset.state === arguments[0]", state);
    }

    private static String text(String selector) {
        return String.valueOf(browser.run("return document.querySelector(arguments[0]).innerText", selector));
    }
}
