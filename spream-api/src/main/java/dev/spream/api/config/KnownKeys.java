package dev.spream.api.config;

import dev.spream.api.spi.ConfigKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The known keys, and the problems of settings that name an unknown one. */
final class KnownKeys {
    private final List<ConfigSection> sections;
    private final Map<String, Known> byName = new LinkedHashMap<>();
    private final Map<String, List<String>> byVariable = new TreeMap<>();
    private final List<Problem> problems = new ArrayList<>();

    record Known(ConfigSection section, ConfigKey<?> key) {
        String name() {
            return section.fullName(key);
        }

        boolean inUse() {
            return section.inUse();
        }
    }

    KnownKeys(List<ConfigSection> sections) {
        this.sections = List.copyOf(sections);
        for (ConfigSection section : sections) {
            section.keys().forEach(key -> add(new Known(section, key)));
        }
    }

    private void add(Known known) {
        if (byName.putIfAbsent(known.name(), known) != null) {
            problems.add(new Problem(
                    Origin.NOWHERE,
                    "the key %s is declared twice by a plug-in, which is a defect of the plug-in"
                            .formatted(known.name())));
            return;
        }
        byVariable
                .computeIfAbsent(SpreamConfig.variable(known.name()), variable -> new ArrayList<>())
                .add(known.name());
    }

    List<Known> all() {
        return List.copyOf(byName.values());
    }

    Optional<Known> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    List<Problem> problems(SpreamConfig config) {
        Stream<Problem> unknown = config.keyed().stream()
                .filter(setting -> !byName.containsKey(setting.name()))
                .map(setting -> new Problem(setting.origin(), unknownKey(setting)));
        Stream<Problem> variables = config.variables().stream().flatMap(setting -> variableProblem(setting).stream());
        return Stream.of(problems.stream(), unknown, variables)
                .flatMap(all -> all)
                .toList();
    }

    private Optional<Problem> variableProblem(RawSetting setting) {
        List<String> meant = byVariable.getOrDefault(setting.name(), List.of());
        if (meant.size() == 1) {
            return Optional.empty();
        }
        String text = meant.isEmpty()
                ? "the variable %s matches no known key%s"
                        .formatted(
                                DisplayText.text(setting.name()), KeyHint.didYouMean(nearestVariable(setting.name())))
                : "the variable %s is ambiguous, it matches %s; unset it, and configure these keys in the file or by flags"
                        .formatted(setting.name(), String.join(" or ", meant));
        return Optional.of(new Problem(setting.origin(), text));
    }

    private List<String> nearestVariable(String name) {
        return Suggestion.nearest(
                        withoutPrefix(name),
                        byVariable.keySet().stream()
                                .map(KnownKeys::withoutPrefix)
                                .toList())
                .map(SpreamConfig::variable)
                .stream()
                .toList();
    }

    /** Returns the variable without the common prefix, which would make all variables similar. */
    private static String withoutPrefix(String variable) {
        return variable.substring(SpreamConfig.variable("").length());
    }

    private String unknownKey(RawSetting setting) {
        return "%s (%s) is not a known key%s"
                .formatted(
                        DisplayText.text(setting.name()),
                        setting.origin().text(),
                        KeyHint.of(setting.name(), sections));
    }
}
