package dev.spream.api.config;

import dev.spream.api.spi.ConfigKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A hint for an unknown key: the most similar known key, or else the list of known keys. */
final class KeyHint {
    private static final int MAX_SUGGESTIONS = 3;

    private KeyHint() {}

    /** Returns the text to append to the problem; empty without a hint. */
    static String of(String name, List<ConfigSection> sections) {
        int dot = name.lastIndexOf('.');
        Optional<ConfigSection> same = sections.stream()
                .filter(section -> section.prefix().equals(name))
                .findFirst();
        if (same.isPresent()) {
            return keysOf(same.get());
        }
        return nearestSection(name.substring(0, Math.max(0, dot)), sections)
                .map(section -> hint(section, name.substring(dot + 1)))
                .orElseGet(() -> hintOfAll(name, sections));
    }

    private static Optional<ConfigSection> nearestSection(String prefix, List<ConfigSection> sections) {
        Map<String, ConfigSection> byPrefix = new TreeMap<>();
        sections.stream()
                .filter(section -> !section.prefix().isEmpty())
                .forEach(section -> byPrefix.put(section.prefix(), section));
        return Suggestion.nearest(prefix, byPrefix.keySet()).map(byPrefix::get);
    }

    /** Compares the last word only: a common prefix would make all keys of a section similar. */
    private static String hint(ConfigSection section, String word) {
        List<String> words = section.keys().stream().map(ConfigKey::name).toList();
        return Suggestion.nearest(word, words)
                .map(name -> didYouMean(List.of(section.prefix() + "." + name)))
                .orElseGet(() -> keysOf(section));
    }

    private static String keysOf(ConfigSection section) {
        String keys = section.keys().stream().map(ConfigKey::name).collect(Collectors.joining(", "));
        return "; %s has %s".formatted(section.prefix(), keys.isEmpty() ? "no keys" : "the keys " + keys);
    }

    private static String hintOfAll(String name, List<ConfigSection> sections) {
        List<String> names = sections.stream()
                .flatMap(section -> section.keys().stream().map(section::fullName))
                .toList();
        List<String> meant = Suggestion.nearest(name, names)
                .map(List::of)
                .orElseGet(() -> names.stream()
                        .filter(known -> known.endsWith("." + name))
                        .limit(MAX_SUGGESTIONS)
                        .toList());
        return meant.isEmpty() ? ofThisKind(name, sections) : didYouMean(meant);
    }

    private static String ofThisKind(String name, List<ConfigSection> sections) {
        String kind = name.substring(0, name.indexOf('.') + 1);
        String siblings = sections.stream()
                .map(ConfigSection::prefix)
                .filter(prefix -> !kind.isEmpty() && prefix.startsWith(kind))
                .collect(Collectors.joining(", "));
        return siblings.isEmpty() ? "" : "; of this kind there are " + siblings;
    }

    static String didYouMean(List<String> names) {
        return names.isEmpty() ? "" : "; did you mean %s?".formatted(String.join(" or ", names));
    }
}
