package dev.spream.browser;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The content of the page at one moment, read from its document.
 *
 * @param now the time of the displayed response, as stated in it
 * @param state the page's own state: live, stale and so on
 * @param rows the rows of the table, by token
 * @param edges the edges of the drawing, from parent to child
 */
record Shown(String now, String state, Map<String, Row> rows, Set<Edge> edges) {
    private static final String READ = """
            return {
              now: document.body.dataset.now ?? "",
              state: document.body.dataset.state,
              rows: [...document.querySelectorAll("#rows tr")].map(row => ({
                token: row.dataset.token, state: row.dataset.state, owner: row.dataset.owner ?? "",
                parents: JSON.parse(row.dataset.parents), text: row.innerText })),
              edges: [...document.querySelectorAll("#graph .edge")].map(edge => [edge.dataset.parent, edge.dataset.child]),
            };""";

    /**
     * A partition as a row.
     *
     * @param owner empty if there is none
     * @param text all that a person reads in it
     */
    record Row(String token, String state, String owner, List<String> parents, String text) {}

    /** A line from a parent into its child. */
    record Edge(String parent, String child) {}

    /** All at once, so that no answer is drawn in between. */
    static Shown in(Chromium browser) {
        Map<?, ?> page = JsonMembers.object(browser.run(READ));
        Map<String, Row> rows = JsonMembers.list(page, "rows").stream()
                .map(row -> row(JsonMembers.object(row)))
                .collect(Collectors.toMap(Row::token, row -> row));
        Set<Edge> edges = JsonMembers.list(page, "edges").stream()
                .map(edge -> edge((List<?>) edge))
                .collect(Collectors.toSet());
        return new Shown(JsonMembers.text(page, "now"), JsonMembers.text(page, "state"), rows, edges);
    }

    private static Row row(Map<?, ?> row) {
        return new Row(
                JsonMembers.text(row, "token"),
                JsonMembers.text(row, "state"),
                JsonMembers.text(row, "owner"),
                JsonMembers.texts(row, "parents"),
                JsonMembers.text(row, "text"));
    }

    private static Edge edge(List<?> edge) {
        return new Edge(String.valueOf(edge.get(0)), String.valueOf(edge.get(1)));
    }
}
