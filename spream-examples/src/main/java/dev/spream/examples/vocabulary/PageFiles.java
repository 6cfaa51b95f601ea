package dev.spream.examples.vocabulary;

import static java.util.Objects.requireNonNull;

import dev.spream.examples.http.Answer;
import dev.spream.examples.http.Call;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/** The search page, read once from the class path. Files that are not listed here are not served. */
record PageFiles(Map<String, Answer> files) {
    private static final String CONTENT_POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'";

    PageFiles {
        files = Map.copyOf(files);
    }

    static PageFiles load() {
        return new PageFiles(Map.of(
                "/", file("index.html", "text/html; charset=utf-8"),
                "/style.css", file("style.css", "text/css; charset=utf-8"),
                "/search.js", file("search.js", "text/javascript; charset=utf-8"),
                "/icon.svg", file("icon.svg", "image/svg+xml")));
    }

    private static Answer file(String name, String contentType) {
        try (InputStream file = requireNonNull(PageFiles.class.getResourceAsStream("page/" + name), name)) {
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            return Answer.text(Answer.OK, contentType, text).header("Content-Security-Policy", CONTENT_POLICY);
        } catch (IOException e) {
            throw new UncheckedIOException("page/%s cannot be read from the class path".formatted(name), e);
        }
    }

    Answer answer(Call call) {
        return Optional.ofNullable(files.get(call.path()))
                .map(file -> call.method().equals("GET") ? file : Answer.notAllowed("GET"))
                .orElseGet(() -> Answer.problem(Answer.NOT_FOUND, "Not found", "There is nothing here."));
    }
}
