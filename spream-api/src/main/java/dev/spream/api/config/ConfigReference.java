package dev.spream.api.config;

import dev.spream.api.spi.ConfigKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Lists the known keys: as text with their effective values, and as Markdown for documentation. */
public final class ConfigReference {
    private static final int WIDTH = 100;
    private static final String INDENT = "    ";

    private ConfigReference() {}

    /**
     * Returns every key with its type, default, meaning, value and origin; secrets are masked. Lines end with a line
     * feed and have up to 100 characters, unless a value is longer.
     */
    public static String text(List<ConfigEntry> entries) {
        return sections(entries).entrySet().stream()
                .map(section -> heading(section.getKey(), section.getValue())
                        + section.getValue().stream().map(ConfigReference::text).collect(Collectors.joining("\n")))
                .collect(Collectors.joining("\n"));
    }

    /** Returns a Markdown table for every section, without configured values. The result depends on the keys alone. */
    public static String markdown(List<ConfigEntry> entries) {
        return sections(entries).entrySet().stream()
                .map(section -> table(section.getKey(), section.getValue()))
                .collect(Collectors.joining("\n"));
    }

    private static Map<String, List<ConfigEntry>> sections(List<ConfigEntry> entries) {
        return entries.stream()
                .collect(Collectors.groupingBy(ConfigEntry::section, LinkedHashMap::new, Collectors.toList()));
    }

    private static String heading(String section, List<ConfigEntry> entries) {
        return "%s%s\n\n".formatted(title(section), entries.getFirst().inUse() ? "" : " (not in use)");
    }

    private static String title(String section) {
        return section.isEmpty() ? "spream" : section;
    }

    private static String text(ConfigEntry entry) {
        String value = entry.value()
                .map(held -> "%s = %s  (%s)".formatted(entry.key(), held, entry.origin()))
                .orElseGet(() -> entry.key() + " is not set");
        return "%s%s\n%s"
                .formatted(
                        INDENT,
                        value,
                        wrapped(facts(entry.declaration()) + ". "
                                + entry.declaration().meaning()));
    }

    private static String facts(ConfigKey<?> key) {
        return key.type().label() + (key.isSecret() ? "; secret" : "") + "; " + withoutValue(key);
    }

    private static String withoutValue(ConfigKey<?> key) {
        String otherwise = key.defaultText().map("default "::concat).orElse("no default");
        if (!key.isRequired()) {
            return otherwise;
        }
        return key.defaultText().map(text -> text + ", else required").orElse("required");
    }

    private static String wrapped(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (!line.isEmpty() && 2 * INDENT.length() + line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines.stream().map(content -> INDENT + INDENT + content + "\n").collect(Collectors.joining());
    }

    private static String table(String section, List<ConfigEntry> entries) {
        return "**%s**\n\n| Key | Type | Default | Meaning |\n|---|---|---|---|\n".formatted(title(section))
                + entries.stream().map(ConfigReference::row).collect(Collectors.joining());
    }

    private static String row(ConfigEntry entry) {
        ConfigKey<?> key = entry.declaration();
        return "| `%s` | %s | %s | %s |\n"
                .formatted(
                        entry.key(),
                        cell(key.type().label() + (key.isSecret() ? "; secret" : "")),
                        cell(
                                key.isRequired()
                                        ? withoutValue(key)
                                        : key.defaultText().orElse("")),
                        cell(key.meaning()));
    }

    private static String cell(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace("|", "\\|")
                .replace("\n", " ");
    }
}
