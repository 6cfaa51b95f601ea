package dev.spream.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The panels of the page, its commands and its colours, with answers that a process might give. */
final class PanelsIT {
    private static final String TOKEN = "a-token-of-the-page";
    private static final String IDENTITY = SamplePanels.IDENTITY;

    private static Chromium browser;

    @BeforeAll
    static void start() {
        browser = Chromium.start();
    }

    @AfterAll
    static void stop() {
        browser.close();
    }

    private static PageServer server(boolean commands) throws Exception {
        PageServer server = PageServer.start(new SampleAnswer()
                .with("lag_seconds", 3_599.0)
                .running("p", SampleAnswer.WORKER)
                .answer());
        SamplePanels.serve(server, commands);
        return server;
    }

    /** Opens the page, and shows each panel, as they ask for their state only when they are near the view. */
    private static void open(PageServer server) {
        browser.open(server.page());
        browser.run("sessionStorage.clear(); localStorage.clear(); return true");
        browser.open(server.page());
        browser.complaints(); // those of the pages before
        for (String panel : List.of("dead-letters", "outbox", "projections", "locks")) {
            browser.run("document.getElementById(arguments[0]).scrollIntoView(); return true", panel);
            browser.await(
                    "state of " + panel, "return !document.querySelector(`#${arguments[0]} .content`).hidden", panel);
        }
    }

    @Test
    void every_panel_shows_its_state() throws Exception {
        try (PageServer server = server(false)) {
            open(server);
            assertThat(text("#lag-slowest")).contains("slow").contains("9.0 s");
            assertThat(text("#lag-list")).contains("9.0 s, at most 9.0 s").contains("250 ms, at most 500 ms");
            assertThat(text("#lag-others")).contains("3 other partitions").contains("2 more partitions");
            assertThat(browser.run("return document.querySelectorAll('#lag-graph .lag-lines path').length"))
                    .isEqualTo(2L);
            assertThat(text("#dead-letters"))
                    .contains("60 open", "1 parked", "IOException 1", IDENTITY, "Orders", "newest 1 of 60");
            assertThat(text("#outbox"))
                    .contains("about 20,000", "2 min ago", "OUTCOME_UNKNOWN", "REJECTED", "open: the receiver is down");
            assertThat(text("#projections"))
                    .contains("entries", "failed", "1,717", "no such column", "1 key, 2 events");
            assertThat(text("#locks"))
                    .contains("the connection was refused", "1 min old", "nightly", "waits for 3.5 s, behind 78");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void the_values_of_an_earlier_time_are_reached_by_key() throws Exception {
        try (PageServer server = server(false)) {
            open(server);
            browser.run("document.getElementById('lag-frame').focus(); return true");
            key("ArrowLeft");
            assertThat(text("#lag-at")).startsWith("at ");
            assertThat(text("#lag-list")).contains("5.0 s, at most 9.0 s");
            key("ArrowLeft");
            assertThat(text("#lag-list")).contains("not read, at most 500 ms");
            key("Escape");
            assertThat(text("#lag-at")).isEqualTo("now");
        }
    }

    @Test
    void the_lag_is_shown_when_it_becomes_known() throws Exception {
        try (PageServer server = server(false)) {
            server.answer("api/lag", "{\"step_seconds\":5,\"times\":[],\"partitions\":[],\"others\":0}");
            browser.open(server.page());
            browser.await(
                    "first answer",
                    "return performance.getEntriesByType('resource').some(entry => entry.name.endsWith('api/lag'))");
            server.answer("api/lag", SamplePanels.LAG);
            browser.await("lag", "return document.querySelectorAll('#lag-list li').length === 2");
        }
    }

    private static void key(String name) {
        browser.run(
                "return document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: arguments[0], bubbles: true }))",
                name);
    }

    @Test
    void a_page_without_commands_has_no_buttons_for_them() throws Exception {
        try (PageServer server = server(false)) {
            open(server);
            assertThat(browser.run("return document.getElementById('access').hidden"))
                    .isEqualTo(true);
            assertThat(buttons()).isEqualTo(0L);
        }
    }

    @Test
    void commands_need_the_token_which_only_the_tab_keeps_until_it_is_forgotten() throws Exception {
        try (PageServer server = server(true)) {
            open(server);
            assertThat(buttons()).as("before the token").isEqualTo(0L);
            browser.run("""
                    document.getElementById("actor").value = "ann";
                    document.getElementById("token").value = arguments[0];
                    document.getElementById("token-form").requestSubmit();
                    return true""", TOKEN);
            browser.await("buttons", "return document.querySelectorAll('.command').length > 4");
            assertThat(browser.run("return JSON.stringify(localStorage) + document.cookie + location.href"))
                    .asString()
                    .doesNotContain(TOKEN);

            click("#dead-letters .command", "Discard");
            assertThat(text("#confirm")).contains("never gets these changes", "Orders", IDENTITY, "cannot be undone");
            browser.run("document.getElementById('confirm-no').click(); return true");
            assertThat(server.commands()).isEmpty();

            click("#dead-letters .command", "Discard");
            browser.run("document.getElementById('confirm-yes').click(); return true");
            browser.await("outcome", "return !document.getElementById('outcome').hidden");
            assertThat(text("#outcome-text")).isEqualTo("it was done");
            assertThat(server.commands()).singleElement().satisfies(command -> {
                assertThat(command.path()).isEqualTo("api/dead-letters/discard");
                assertThat(command.authorization()).isEqualTo("Bearer " + TOKEN);
                assertThat(command.body()).contains(IDENTITY, "\"actor\":\"ann\"");
            });

            browser.run("document.getElementById('outcome-close').click(); return true");
            click("#outbox .command", "Requeue");
            browser.run("document.getElementById('confirm-yes').click(); return true");
            assertThat(browser.run("return document.getElementById('confirm').open"))
                    .as("a reason is missing")
                    .isEqualTo(true);
            browser.run("""
                    document.getElementById("reason").value = "it is back";
                    document.getElementById("confirm-yes").click();
                    return true""");
            browser.await("second outcome", "return !document.getElementById('outcome').hidden");
            assertThat(server.commands().getLast().body()).contains("\"id\":7", "\"reason\":\"it is back\"");

            browser.run("document.getElementById('forget').click(); return true");
            browser.await("page without buttons", "return document.querySelectorAll('.command').length === 0");
            assertThat(browser.run("return JSON.stringify(sessionStorage)"))
                    .asString()
                    .doesNotContain(TOKEN);
            assertThat(browser.complaints()).isEmpty();
        }
    }

    private static void click(String selector, String label) {
        browser.await("end of the command before", "return !document.querySelector('.command:disabled')");
        browser.run(
                "[...document.querySelectorAll(arguments[0])].find(one => one.textContent === arguments[1]).click(); return true",
                selector,
                label);
    }

    @ParameterizedTest
    @CsvSource({"dark, light, 10, 60", "light, dark, 200, 256"})
    void the_chosen_colours_win_over_those_of_the_system_and_are_kept(String choice, String system, int from, int to)
            throws Exception {
        try (PageServer server = server(false)) {
            browser.prefer("prefers-color-scheme", system);
            open(server);
            browser.run("""
                    const select = document.getElementById("theme");
                    select.value = arguments[0];
                    return select.dispatchEvent(new Event("change"))""", choice);
            assertThat(shade()).isBetween((long) from - 10, (long) to);
            browser.open(server.page());
            assertThat(shade()).as("after the page was opened again").isBetween((long) from - 10, (long) to);
            browser.run("localStorage.clear(); return true");
        } finally {
            browser.prefer("prefers-color-scheme", "light");
        }
    }

    private static long shade() {
        return (long) browser.run("return Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/g)[0])");
    }

    @ParameterizedTest
    @ValueSource(ints = {320, 360, 768, 1120})
    void a_phone_shows_every_panel_without_scrolling_to_the_side(int width) throws Exception {
        try (PageServer server = server(true)) {
            browser.becomePhone(width, 800);
            open(server);
            browser.run("""
                    document.getElementById("token").value = arguments[0];
                    document.getElementById("token-form").requestSubmit();
                    return true""", TOKEN);
            browser.await("buttons", "return document.querySelectorAll('.command').length > 4");
            assertThat(browser.run("return document.documentElement.scrollWidth"))
                    .isEqualTo((long) width);
            if (width < 400) {
                assertThat((List<?>) browser.run("""
                        return [...document.querySelectorAll("button, select, summary, input:not([type=checkbox])")]
                            .filter(one => one.checkVisibility() && one.getBoundingClientRect().height < 44)
                            .map(one => one.outerHTML)"""))
                        .as("targets that are too small for a finger")
                        .isEmpty();
            }
        } finally {
            browser.becomeDesktop(1440, 1300);
        }
    }

    @Test
    void a_process_without_a_subscription_shows_its_panels_alone() throws Exception {
        try (PageServer server = server(false)) {
            server.answer(
                    "api/page",
                    "{\"kind\":\"outbox\",\"name\":\"orders\",\"subscription\":false,\"commands\":false,\"panels\":[{\"name\":\"outbox\",\"seconds\":1,\"commands\":[]}]}");
            browser.open(server.page());
            browser.await("outbox", "return !document.querySelector('#outbox .content').hidden");
            assertThat(text("h1")).isEqualTo("orders");
            assertThat(browser.run("""
                    return [...document.querySelectorAll("main > *, aside")].filter(one => one.checkVisibility() && one.id)
                        .map(one => one.id)""")).isEqualTo(List.of("problems", "outbox"));
            assertThat(text("#state")).contains("live");
        }
    }

    @Test
    void a_subscription_of_the_list_is_chosen_by_its_link() throws Exception {
        try (PageServer server = server(false)) {
            SamplePanels.page(server, "dashboard", "null", false, List.of("subscriptions"));
            browser.open(server.page());
            browser.await("list", "return document.querySelectorAll('#subscriptions-rows a').length === 5");
            assertThat(text("h1")).isEqualTo("all subscriptions");
            assertThat(text("#subscriptions-rows tr"))
                    .as("the first needs attention")
                    .contains("invoices", "no worker", "1 h");
            assertThat(text("#subscriptions-count")).isEqualTo("5 in this storage; 2 need attention");
            assertThat(browser.run("return document.getElementById('partitions').hidden"))
                    .isEqualTo(true);

            browser.run(
                    "[...document.querySelectorAll('#subscriptions-rows a')].find(one => one.textContent === 'returns').click(); return true");
            browser.await("partitions", "return document.querySelectorAll('#rows tr').length === 1");
            assertThat(browser.run("return location.search")).isEqualTo("?subscription=returns");
            assertThat(browser.run("return document.querySelector('#subscriptions-rows [aria-current]').textContent"))
                    .isEqualTo("returns");
            assertThat(browser.requests()).anyMatch(request -> request.endsWith("api/subscription?name=returns"));
        }
    }

    @Test
    void a_subscription_that_is_not_stored_is_named_and_the_list_is_shown() throws Exception {
        try (PageServer server = server(false)) {
            SamplePanels.page(server, "dashboard", "\"orders\"", false, List.of("subscriptions"));
            server.remove("api/subscription");
            browser.open(server.page().resolve("?subscription=refunds"));
            browser.await("word of it", "return document.body.dataset.state === 'missing'");
            assertThat(text("#state-detail")).isEqualTo("The storage has no subscription refunds.");
            browser.await("list", "return document.querySelectorAll('#subscriptions-rows a').length === 5");
        }
    }

    @Test
    void a_list_that_leaves_subscriptions_out_says_so() throws Exception {
        try (PageServer server = server(false)) {
            SamplePanels.page(server, "dashboard", "null", false, List.of("subscriptions"));
            server.answer("api/subscriptions", SamplePanels.SUBSCRIPTIONS.replace("\"left_out\":0", "\"left_out\":7"));
            browser.open(server.page());
            browser.await("list", "return document.querySelectorAll('#subscriptions-rows a').length === 5");
            assertThat(text("#subscriptions-count")).isEqualTo("12 in this storage; of the first 5, 2 need attention");
        }
    }

    private static Object buttons() {
        return browser.run("return document.querySelectorAll('.command').length");
    }

    private static String text(String selector) {
        return String.valueOf(browser.run("return document.querySelector(arguments[0]).innerText", selector));
    }
}
