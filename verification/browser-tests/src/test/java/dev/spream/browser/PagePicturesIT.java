package dev.spream.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pictures of every panel and state of the page, in both colours, wide and narrow, whose texts must be readable. */
@Tag("proof")
final class PagePicturesIT {
    private static final String TOKEN = "a-token-of-the-page";
    private static final List<String> PANELS =
            List.of("subscriptions", "dead-letters", "outbox", "projections", "locks");

    /** Returns the visible texts whose contrast is below that of WCAG 2.2, level AA. */
    private static final String FAINT = """
            const rgb = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { r, g, b, a }; };
            const line = (one) => [one.r, one.g, one.b].map((part) => part / 255)
                .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
                .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
            const mix = (front, back, share) => Object.fromEntries(["r", "g", "b"].map((part) => [part, front[part] * share + back[part] * (1 - share)]));
            const ground = (one) => { for (let at = one; at; at = at.parentElement) {
                const colour = rgb(getComputedStyle(at).backgroundColor); if (colour.a === 1) { return colour; } } return rgb("rgb(255, 255, 255)"); };
            const opacity = (one) => { let whole = 1; for (let at = one; at; at = at.parentElement) { whole *= getComputedStyle(at).opacity; } return whole; };
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            const faint = [];
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const one = node.parentElement;
                if (!node.data.trim() || !one.checkVisibility() || one.closest("svg, script, :disabled, .skip")) { continue; }
                const style = getComputedStyle(one);
                const back = ground(one);
                const front = mix(rgb(style.color), back, opacity(one));
                const [light, dark] = [line(front), line(back)].sort((x, y) => y - x);
                const size = parseFloat(style.fontSize);
                const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
                const ratio = (light + 0.05) / (dark + 0.05);
                if (ratio < least) { faint.push(`${node.data.trim()}: ${ratio.toFixed(2)}`); }
            }
            return faint""";

    private static final String LETTERS = """
            {"panel":"dead-letters","now":"2026-01-01T01:00:00Z","read_at":"2026-01-01T01:00:00Z","read_age_seconds":0,
             "state":{"subscription":"orders","open":12345,"failed":12000,"overtaken":17,"parked":300,"behind_parked":45,
             "parked_keys":310,"causes":{"java.net.http.HttpTimeoutException":80,"java.lang.IllegalArgumentException":20},
             "replay":{"running":true,"stopping":false,"since":"2026-01-01T00:58:30Z","replayed":1234},
             "letters":[
             {"identity":"2026-01-01T00:00:03.000000001Z/MTc0NDcyMDg5OTE3Nzk4MjU0Mw==/00000001","table_name":"OrderLines",
              "commit_timestamp":"2026-01-01T00:00:03.000000001Z","reason":"failed","overtaken":true,"undecodable":false,
              "set_aside_at":"2026-01-01T00:30:00Z","attempts":3,"error_class":"java.net.http.HttpTimeoutException"},
             {"identity":"2026-01-01T00:00:02Z/tx2/00000001","commit_timestamp":"2026-01-01T00:00:02Z","table_name":"Orders",
              "reason":"parked","overtaken":false,"undecodable":false,"set_aside_at":"2026-01-01T00:29:00Z","attempts":5,
              "error_class":"java.lang.IllegalArgumentException"},
             {"identity":"2026-01-01T00:00:01Z/tx1/00000001","commit_timestamp":"2026-01-01T00:00:01Z","table_name":"",
              "reason":"failed","overtaken":false,"undecodable":true,"set_aside_at":"2026-01-01T00:28:00Z","attempts":1,
              "error_class":"dev.spream.core.consume.UndecodableRowException"}]}}""";

    private static final Map<String, String> EMPTY = Map.of(
            "subscriptions",
            "{\"configured\":\"orders\",\"left_out\":0,\"subscriptions\":[]}",
            "dead-letters",
            "{\"open\":0,\"failed\":0,\"overtaken\":0,\"parked\":0,\"behind_parked\":0,\"parked_keys\":0,\"causes\":{},\"letters\":[],\"replay\":{\"running\":false,\"result\":\"replayed 2, refused 0\"}}",
            "outbox",
            "{\"stats\":{\"entries\":{\"pending\":0,\"aborted\":0},\"due\":0,\"lag_seconds\":0,\"parked\":0,\"parked_unknown\":0,\"leases_expired\":0,\"estimated\":[],\"at_least\":[]},\"parked\":[],\"aborted\":[],\"listed\":20}",
            "projections",
            "{\"left_out\":0,\"projections\":[]}",
            "locks",
            "{\"session_count\":0,\"wait_count\":0,\"circle\":[],\"waits\":[],\"sessions\":[],\"notes\":[]}");

    private static Chromium browser;

    @BeforeAll
    static void start() {
        browser = Chromium.start();
    }

    @AfterAll
    static void stop() {
        browser.close();
    }

    private int width;
    private String colours = "";

    @ParameterizedTest
    @CsvSource({"1440, light", "1440, dark", "390, light", "390, dark"})
    void every_state_is_readable_and_needs_no_scrolling_to_the_side(int shownWidth, String shownColours)
            throws Exception {
        width = shownWidth;
        colours = shownColours;
        browser.prefer("prefers-color-scheme", colours);
        try (PageServer server = PageServer.start(subscription())) {
            showCommands(server);
            showSubscriptions(server);
            showOthers(server);
            showNothing(server);
            showErrors(server);
        } finally {
            browser.prefer("prefers-color-scheme", "light");
            browser.becomeDesktop(1440, 1300);
        }
    }

    private static Map<String, Object> subscription() {
        Map<String, Object> change = Map.of(
                "table",
                "Orders",
                "mod_type",
                "UPDATE",
                "commit_timestamp",
                "2026-01-01T00:00:01.123456789Z",
                "server_transaction_id",
                "MTc0NDcyMDg5OTE3Nzk4MjU0Mw==",
                "record_sequence",
                "00000001",
                "attempt",
                3,
                "error",
                "java.net.http.HttpTimeoutException",
                "decision",
                "retry in 4 s");
        return new SampleAnswer()
                .with("lag_seconds", 45.0)
                .with("low_watermark", "2026-01-01T00:00:00Z")
                .with("retention_seconds", 86_400.0)
                .with("lost_in_seconds", 20_000.0)
                .with("retention_known", true)
                .with(
                        "counts",
                        Map.of("consumed", 12_345, "failures", 3, "retries", 2, "reconnects", Map.of("UNAVAILABLE", 2)))
                .with(
                        "failures",
                        List.of(
                                Map.of(
                                        "at",
                                        "2026-01-01T00:00:02Z",
                                        "what",
                                        "CONSUMER_FAILED",
                                        "partition",
                                        "p2",
                                        "change",
                                        change),
                                Map.of(
                                        "at",
                                        "2026-01-01T00:00:01Z",
                                        "what",
                                        "STORAGE_FAILED",
                                        "partition",
                                        "p2",
                                        "message",
                                        "renewing 3 leases failed: Connection to db.example.com:5432 refused; another attempt follows")))
                .finished("Parent0", 600)
                .finished("p1", 500)
                .running("p2", SampleAnswer.WORKER, "p1")
                .running("p3", "worker-2", "p1")
                .answer();
    }

    private void showCommands(PageServer server) throws Exception {
        SamplePanels.serve(server, true);
        server.answer("api/dead-letters", LETTERS);
        open(server, "");
        awaitPanels("dead-letters", "outbox", "projections", "locks");
        picture("token");
        browser.run("""
                document.getElementById("actor").value = "ann";
                document.getElementById("token").value = arguments[0];
                document.getElementById("token-form").requestSubmit();
                document.querySelector("#dead-letters .pick input").click();
                return true""", TOKEN);
        browser.await("buttons", "return document.querySelectorAll('.command').length > 4");
        picture("commands");
        browser.becomeDesktop(width, width < 400 ? 844 : 900);
        press("#dead-letters .command", "Discard");
        keep("confirm-discard");
        browser.run("document.getElementById('confirm-yes').click(); return true");
        browser.await("outcome", "return !document.getElementById('outcome').hidden");
        keep("outcome");
        press("#projections .command", "Resume");
        keep("confirm-reason");
        browser.run("document.getElementById('confirm-no').click(); return true");
    }

    private void showSubscriptions(PageServer server) throws Exception {
        SamplePanels.page(server, "dashboard", "\"orders\"", false, PANELS);
        open(server, "");
        awaitPanels("subscriptions", "dead-letters");
        picture("dashboard");
        SamplePanels.page(server, "dashboard", "null", false, List.of("subscriptions"));
        open(server, "");
        awaitPanels("subscriptions");
        picture("subscriptions");
    }

    private void showOthers(PageServer server) throws Exception {
        SamplePanels.page(server, "outbox", "null", true, List.of("outbox"));
        open(server, "");
        awaitPanels("outbox");
        picture("outbox");
    }

    private void showNothing(PageServer server) throws Exception {
        SamplePanels.page(server, "dashboard", "null", true, PANELS);
        EMPTY.forEach((panel, state) -> server.answer("api/" + panel, """
                {"panel":"%s","now":"2026-01-01T01:00:00Z","read_at":"2026-01-01T01:00:00Z","read_age_seconds":0,"state":%s}""".formatted(panel, state)));
        open(server, "");
        awaitPanels(PANELS.toArray(String[]::new));
        picture("nothing");
    }

    private void showErrors(PageServer server) throws Exception {
        SamplePanels.page(server, "dashboard", "\"orders\"", false, PANELS);
        open(server, "");
        awaitPanels(PANELS.toArray(String[]::new));
        for (String panel : List.of("subscriptions", "dead-letters", "outbox")) {
            server.answer("api/" + panel, """
                    {"panel":"%s","now":"2026-01-01T01:00:00Z","read_at":"2026-01-01T00:55:00Z","read_age_seconds":300,
                     "error":"StorageException: Connection to db.example.com:5432 refused"}""".formatted(panel));
        }
        browser.await("error", "return document.querySelector('#outbox .age').innerText.includes('refused')");
        picture("errors-with-a-state");
        open(server, "");
        browser.await("error", "return document.querySelector('#subscriptions .age').innerText.includes('refused')");
        picture("errors-without-a-state");
        server.stop();
        browser.await("word of it", "return document.body.dataset.state === 'disconnected'");
        picture("disconnected");
    }

    private void open(PageServer server, String query) {
        browser.becomeDesktop(width, 3_000);
        browser.open(server.page());
        browser.run("sessionStorage.clear(); localStorage.clear(); return true");
        browser.open(server.page().resolve(query));
    }

    private static void awaitPanels(String... panels) {
        for (String panel : panels) {
            browser.run("document.getElementById(arguments[0]).scrollIntoView(); return true", panel);
            browser.await(
                    "state of " + panel, "return !document.querySelector(`#${arguments[0]} .content`).hidden", panel);
        }
    }

    private static void press(String selector, String label) {
        browser.await("end of the command before", "return !document.querySelector('.command:disabled')");
        browser.run(
                "[...document.querySelectorAll(arguments[0])].find(one => one.textContent === arguments[1]).click(); return true",
                selector,
                label);
    }

    private void picture(String name) throws Exception {
        browser.screenshotWhole(named(name), width);
        judge(name);
    }

    private void keep(String name) throws Exception {
        browser.screenshot(named(name));
        judge(name);
    }

    private String named(String name) {
        return "%s-%d-%s".formatted(name, width, colours);
    }

    private void judge(String name) {
        assertThat(browser.run("return document.documentElement.scrollWidth"))
                .as(name)
                .isEqualTo((long) width);
        assertThat((List<?>) browser.run(FAINT))
                .as("faint texts of %s in %s", name, colours)
                .isEmpty();
    }
}
