package dev.spream.cli.http;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files of the page, read once from the class path. Other files are not served. Immutable. */
final class PageFiles {
    private static final String FOLDER = "page/";
    private static final List<String> NAMES = List.of(
            "index.html",
            "style.css",
            "icon.svg",
            "access.js",
            "app.js",
            "deadletters.js",
            "dom.js",
            "failures.js",
            "format.js",
            "graph.js",
            "lag.js",
            "lineage.js",
            "locks.js",
            "model.js",
            "outbox.js",
            "owners.js",
            "panels.js",
            "poll.js",
            "projections.js",
            "section.js",
            "subscriptions.js",
            "theme.js",
            "tree.js");
    private static final Map<String, String> CONTENT_TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml");

    private PageFiles() {}

    static Map<String, Answer> load() {
        Map<String, Answer> answers = new LinkedHashMap<>();
        for (String name : NAMES) {
            answers.put("/" + name, new Answer(Answer.OK, contentType(name), read(name)));
        }
        answers.put("/", requireNonNull(answers.get("/index.html"), "index.html"));
        return Map.copyOf(answers);
    }

    private static String contentType(String name) {
        return requireNonNull(CONTENT_TYPES.get(name.substring(name.indexOf('.') + 1)), name);
    }

    private static byte[] read(String name) {
        try (InputStream file = PageFiles.class.getResourceAsStream(FOLDER + name)) {
            if (file == null) {
                throw new IllegalStateException("%s%s is missing beside %s".formatted(FOLDER, name, PageFiles.class));
            }
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("%s%s cannot be read from the class path".formatted(FOLDER, name), e);
        }
    }
}
