package dev.spream.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.browser.Answered.Partition;
import dev.spream.browser.Shown.Edge;
import dev.spream.browser.Shown.Row;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page of a process that runs, from its first partition to its end. */
final class LivePageIT {
    private static final List<String> STATES = List.of("CREATED", "SCHEDULED", "RUNNING", "FINISHED");
    private static final Pattern VERDICT =
            Pattern.compile("demo: .* partitions (\\d+) \\(splits (\\d+), merges (\\d+), moves (\\d+)\\).* lost 0, .*");
    private static final String DATABASE = "projects/p/instances/i/databases/d";
    private static final String HAS_MERGE = """
            return [...document.querySelectorAll("#rows tr")].some(row => JSON.parse(row.dataset.parents).length === 2)""";

    @Test
    void the_page_follows_the_demo_from_its_first_partitions_to_its_end() throws Exception {
        try (Chromium browser = Chromium.start();
                CommandLine demo = CommandLine.start("tail", "--demo", "--seed", "7", "--duration", "10m")) {
            URI page = demo.page();
            browser.open(page);
            browser.await("partition", "return document.querySelectorAll('#rows tr').length > 2");
            Shown first = compare(browser, page);
            browser.await(
                    "growth",
                    "return document.querySelectorAll('#rows tr').length > arguments[0] + 4",
                    first.rows().size());
            browser.await("merge", HAS_MERGE);
            browser.await("end", "return document.querySelectorAll('#rows tr[data-state=FINISHED]').length > 8");
            Shown grown = compare(browser, page);
            assertThat(grown.rows()).hasSizeGreaterThan(first.rows().size());
            assertThat(grown.rows().keySet()).containsAll(first.rows().keySet());
            assertThat(grown.state()).isEqualTo("live");
            keepScreenshots(browser);
            compare(browser, page);

            assertThat(browser.complaints())
                    .as("what the browser complained about")
                    .isEmpty();
            assertThat(browser.requests())
                    .as("what the page asked for")
                    .contains(page.resolve("api/subscription").toString())
                    .allMatch(address -> address.startsWith(page.toString()));

            demo.terminate();
            assertThat(demo.exitCode()).as("%s", demo.said()).isZero();
            browser.await("word of the end", "return document.body.dataset.state === 'disconnected'");
            assertThat(String.valueOf(browser.run("return document.getElementById('state-detail').innerText")))
                    .contains("cannot be reached")
                    .contains("old");
            judge(demo.said().getLast(), grown, Shown.in(browser));
        }
    }

    /** Requires that the displayed state lies between the states of the process before and after. */
    private static Shown compare(Chromium browser, URI page) throws Exception {
        Answered before = Answered.by(page);
        browser.await(
                "answer as new",
                "return new Date(document.body.dataset.now) >= new Date(arguments[0])",
                before.now().toString());
        Shown shown = Shown.in(browser);
        Answered after = Answered.by(page);
        assertThat(shown.rows().keySet()).containsAll(before.partitions().keySet());
        assertThat(after.partitions().keySet()).containsAll(shown.rows().keySet());
        shown.rows().forEach((token, row) -> {
            Partition later = after.partitions().get(token);
            Partition earlier = before.partitions().getOrDefault(token, new Partition(token, "CREATED", List.of()));
            assertThat(row.parents()).isEqualTo(later == null ? List.of() : later.parents());
            assertThat(STATES.indexOf(row.state()))
                    .isBetween(STATES.indexOf(earlier.state()), STATES.indexOf(later == null ? "" : later.state()));
            for (String parent : row.parents()) {
                assertThat(shown.edges()).contains(new Edge(parent, token));
            }
        });
        return shown;
    }

    private static void keepScreenshots(Chromium browser) throws Exception {
        browser.prefer("prefers-color-scheme", "light");
        browser.screenshot("live-light");
        browser.prefer("prefers-color-scheme", "dark");
        browser.screenshot("live-dark");
        browser.becomePhone(390, 844);
        assertThat(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"))
                .as("nothing to scroll to the side for")
                .isEqualTo(true);
        browser.screenshot("live-phone");
        browser.run("document.querySelector('.lineage').scrollIntoView({behavior: 'instant'}); return true");
        browser.screenshot("live-phone-lineage");
        browser.becomeDesktop(1440, 1300);
        browser.prefer("prefers-color-scheme", "light");
    }

    /** The demo counted by itself, to its end; the page may have missed what happened in the last second. */
    private static void judge(String line, Shown grown, Shown last) {
        Matcher verdict = VERDICT.matcher(line);
        assertThat(verdict.matches()).as(line).isTrue();
        ToIntFunction<Integer> counted = group -> Integer.parseInt(verdict.group(group));
        Map<String, Long> childrenOf = last.rows().values().stream()
                .flatMap(row -> row.parents().stream())
                .filter(parent -> !parent.equals(Answered.ROOT))
                .collect(Collectors.groupingBy(parent -> parent, Collectors.counting()));
        long splits =
                childrenOf.values().stream().filter(children -> children > 1).count();
        long merges = last.rows().values().stream()
                .filter(row -> row.parents().size() > 1)
                .count();
        assertThat(last.rows().size() - 1).isBetween(grown.rows().size() - 1, counted.applyAsInt(1));
        assertThat(splits).isBetween(1L, (long) counted.applyAsInt(2));
        assertThat(merges).isBetween(1L, (long) counted.applyAsInt(3));
    }

    @Test
    void the_page_shows_the_partitions_of_the_server() throws Exception {
        try (SpannerEmulator emulator = SpannerEmulator.start();
                Chromium browser = Chromium.start()) {
            emulator.createDatabase(
                    DATABASE,
                    DatabaseDialect.GOOGLE_STANDARD_SQL,
                    "CREATE TABLE Orders (OrderId INT64 NOT NULL) PRIMARY KEY (OrderId)",
                    "CREATE CHANGE STREAM OrdersStream FOR Orders");
            PartitionControl partitions = emulator.partitions(DATABASE, "OrdersStream");
            try (CommandLine tail = CommandLine.start(
                    "tail",
                    "--database",
                    DATABASE,
                    "--stream",
                    "OrdersStream",
                    "--emulator-host",
                    emulator.emulatorHost(),
                    "--heartbeat-interval",
                    "200ms")) {
                browser.open(tail.page());
                awaitTruth(browser, partitions);
                List<String> children =
                        partitions.split(partitions.live().getFirst().token());
                awaitTruth(browser, partitions);
                String merged = partitions.merge(children.getFirst(), children.getLast());
                awaitTruth(browser, partitions);
                Shown shown = Shown.in(browser);
                assertThat(shown.edges())
                        .contains(new Edge(children.getFirst(), merged), new Edge(children.getLast(), merged));
                assertThat(row(shown, merged).text()).contains("merge of");
                assertThat(row(shown, merged).owner()).as("its owner").isNotEmpty();
                partitions.move(merged);
                awaitTruth(browser, partitions);
                assertThat(browser.complaints()).isEmpty();

                tail.terminate();
                assertThat(tail.exitCode()).as("%s", tail.said()).isZero();
                browser.await("word of the end", "return document.body.dataset.state === 'disconnected'");
                assertThat(Shown.in(browser).rows()).as("what was known last").containsKey(merged);
            }
        }
    }

    /** Waits until the page shows the emulator's partitions: those, from those parents, alive or ended. */
    private static void awaitTruth(Chromium browser, PartitionControl partitions) {
        Map<String, PartitionView> truth =
                partitions.all().stream().collect(Collectors.toMap(PartitionView::token, view -> view));
        List<List<String>> states = truth.values().stream()
                .map(view -> List.of(view.token(), view.end().isEmpty() ? "RUNNING" : "FINISHED"))
                .toList();
        browser.await("state of the server " + states, """
                const rows = [...document.querySelectorAll("#rows tr")];
                return arguments[0].every(([token, state]) =>
                    rows.some(row => row.dataset.token === token && row.dataset.state === state))""", states);
        Shown shown = Shown.in(browser);
        assertThat(shown.rows().keySet()).containsExactlyInAnyOrderElementsOf(concat(Answered.ROOT, truth.keySet()));
        truth.forEach((token, view) -> assertThat(row(shown, token).parents())
                .containsExactlyInAnyOrderElementsOf(
                        view.parents().isEmpty() ? List.of(Answered.ROOT) : view.parents()));
    }

    private static List<String> concat(String one, Iterable<String> others) {
        List<String> all = new ArrayList<>(List.of(one));
        others.forEach(all::add);
        return all;
    }

    private static Row row(Shown shown, String token) {
        Row row = shown.rows().get(token);
        if (row == null) {
            throw new AssertionError(
                    "no row of %s among %s".formatted(token, shown.rows().keySet()));
        }
        return row;
    }
}
