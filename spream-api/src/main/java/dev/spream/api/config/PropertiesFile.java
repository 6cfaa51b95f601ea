package dev.spream.api.config;

import dev.spream.api.config.Origin.Layer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * A UTF-8 file in the syntax of {@link java.util.Properties}. It records the line of every key, and rejects what that
 * class accepts or fails on: duplicate keys, values with trailing blanks, malformed unicode escapes, lines without a
 * key. Each problem is reported, and the rest of the file is still read.
 */
final class PropertiesFile {
    private static final int MAX_BYTES = 1 << 20;

    private final String path;
    private final Map<String, RawSetting> settings = new LinkedHashMap<>();
    private final List<Problem> problems = new ArrayList<>();
    private boolean read = true;

    private PropertiesFile(String path) {
        this.path = path;
    }

    static PropertiesFile none() {
        return new PropertiesFile("");
    }

    static PropertiesFile read(Path path) {
        try {
            return parse(path.toString(), SmallFile.read(path, MAX_BYTES));
        } catch (IOException e) {
            PropertiesFile file = none();
            file.read = false;
            file.problems.add(new Problem(
                    new Origin(Layer.FILE, 0, path.toString()),
                    "the configuration file %s %s".formatted(path, e.getMessage())));
            return file;
        }
    }

    static PropertiesFile parse(String path, String text) {
        PropertiesFile file = new PropertiesFile(path);
        file.parse(text);
        return file;
    }

    /** Returns this file without the settings of some keys. */
    PropertiesFile without(Predicate<String> keys) {
        PropertiesFile rest = new PropertiesFile(path);
        rest.settings.putAll(settings);
        rest.settings.keySet().removeIf(keys);
        rest.problems.addAll(problems);
        rest.read = read;
        return rest;
    }

    Map<String, RawSetting> settings() {
        return settings;
    }

    List<Problem> problems() {
        return problems;
    }

    boolean wasRead() {
        return read;
    }

    private void parse(String text) {
        String[] lines = (text.startsWith("\uFEFF") ? text.substring(1) : text).split("\r\n|\r|\n", -1);
        int next = 0;
        while (next < lines.length) {
            int first = next;
            String line = PropertiesLine.withoutIndent(lines[next++]);
            StringBuilder whole = new StringBuilder();
            while (!isComment(whole, line) && PropertiesLine.isEscaped(line, line.length())) {
                whole.append(line, 0, line.length() - 1);
                line = next < lines.length ? PropertiesLine.withoutIndent(lines[next++]) : "";
            }
            whole.append(isComment(whole, line) ? "" : line);
            if (!whole.isEmpty()) {
                entry(new Origin(Layer.FILE, first + 1, path + ":" + (first + 1)), whole.toString());
            }
        }
    }

    private static boolean isComment(StringBuilder before, String line) {
        return before.isEmpty() && (line.startsWith("#") || line.startsWith("!"));
    }

    private void entry(Origin origin, String text) {
        PropertiesLine line = PropertiesLine.parse(text);
        if (line.key().isEmpty()) {
            problem(origin, "%s has no key; write key=value".formatted(origin.text()));
            return;
        }
        String key = line.key().get();
        boolean readable = line.value().isPresent() && !line.blankAtEnd();
        add(new RawSetting(key, line.value().orElse(""), origin, readable));
        if (line.value().isEmpty()) {
            problem(
                    origin,
                    "%s (%s) has a \\u without four hexadecimal digits after it; write a backslash itself twice"
                            .formatted(DisplayText.text(key), origin.text()));
        }
        if (line.blankAtEnd()) {
            problem(
                    origin,
                    "%s (%s) has a trailing blank; remove it, or write it as \\u0020"
                            .formatted(DisplayText.text(key), origin.text()));
        }
    }

    private void add(RawSetting setting) {
        RawSetting earlier = settings.putIfAbsent(setting.name(), setting);
        if (earlier != null) {
            problem(
                    setting.origin(),
                    "%s (%s) is already set at %s; remove one of them"
                            .formatted(
                                    DisplayText.text(setting.name()),
                                    setting.origin().text(),
                                    earlier.origin().text()));
        }
    }

    private void problem(Origin origin, String text) {
        problems.add(new Problem(origin, text));
    }
}
