package dev.spream.api.config;

import static java.util.Objects.requireNonNull;

import dev.spream.api.config.KnownKeys.Known;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A configuration resolved against the known keys: typed values, every problem, and entries for display. Immutable.
 * {@code toString} shows no value.
 */
public final class ResolvedConfig {
    private final Map<String, ConfigSection> sections = new LinkedHashMap<>();
    private final Map<String, Object> values = new HashMap<>();
    private final Map<String, ConfigEntry> entries = new LinkedHashMap<>();
    private final List<Problem> problems = new ArrayList<>();

    private ResolvedConfig(List<ConfigSection> sections) {
        sections.forEach(section -> {
            if (this.sections.putIfAbsent(section.prefix(), section) != null) {
                throw new IllegalArgumentException("two sections have the prefix '%s'".formatted(section.prefix()));
            }
        });
    }

    /**
     * Resolves the configuration, and reads the files that it references.
     *
     * @param sections the known sections, with distinct prefixes, in the order of display
     */
    public static ResolvedConfig of(SpreamConfig config, List<ConfigSection> sections) {
        ResolvedConfig resolved = new ResolvedConfig(sections);
        KnownKeys keys = new KnownKeys(sections);
        ValueResolver lookup = new ValueResolver(config, keys);
        keys.all().forEach(known -> {
            if (known.inUse()) {
                resolved.validate(known, known.key(), lookup.find(known), config);
            } else {
                resolved.show(known, config.effective(known.name()));
            }
        });
        resolved.problems.addAll(config.problems());
        resolved.problems.addAll(keys.problems(config));
        resolved.problems.addAll(lookup.problems());
        config.flags().forEach(flag -> keys.find(flag.name()).ifPresent(known -> resolved.validateFlag(known, flag)));
        resolved.problems.sort(Comparator.comparing(Problem::origin));
        return resolved;
    }

    /**
     * Returns the configuration of a section. Use it only without problems: values that could not be read are missing.
     *
     * @throws IllegalArgumentException if there is no section with that prefix, or it is not in use
     */
    public PluginConfig section(String prefix) {
        ConfigSection section = sections.get(prefix);
        if (section == null || !section.inUse()) {
            throw new IllegalArgumentException("no section '%s' is in use".formatted(prefix));
        }
        return new SectionValues(section, values);
    }

    /** Returns every problem, a sentence each, ordered by place; none shows a secret. */
    public List<String> problems() {
        return problems.stream().map(Problem::text).distinct().toList();
    }

    /** Returns every known key, in the order of the sections. */
    public List<ConfigEntry> entries() {
        return List.copyOf(entries.values());
    }

    /**
     * Returns a key with its displayable value and origin, for a message:
     * {@code max-inflight is '3' (spream.properties:2)}.
     *
     * @param key the full name of a known key
     */
    public String describe(String key) {
        ConfigEntry entry = entries.get(key);
        if (entry == null) {
            throw new IllegalArgumentException("there is no key '%s'".formatted(key));
        }
        return entry.value()
                .map(value -> "%s is '%s' (%s)".formatted(key, value, entry.origin()))
                .orElseGet(() -> key + " is not configured");
    }

    @Override
    public String toString() {
        return "ResolvedConfig[keys=%s, problems=%d]".formatted(entries.keySet(), problems.size());
    }

    private <T> void validate(Known known, ConfigKey<T> key, ResolvedText found, SpreamConfig config) {
        switch (found) {
            case ResolvedText.Absent absent -> {
                enter(known, key.defaultMeaning(), key.defaultMeaning().isPresent() ? "default" : "");
                if (key.isRequired() && config.isComplete()) {
                    problems.add(new Problem(Origin.NOWHERE, missing(known, config)));
                }
            }
            case ResolvedText.Unusable unusable ->
                enter(known, Optional.of(unusable.shown()), unusable.place().text());
            case ResolvedText.Text text -> {
                boolean own = text.key().equals(known.name());
                String place = text.place().text();
                enter(known, Optional.of(text.shown()), own ? place : "%s, for %s".formatted(place, text.key()));
                read(known, key, text);
            }
        }
    }

    private <T> void read(Known known, ConfigKey<T> key, ResolvedText.Text text) {
        try {
            T value = requireNonNull(key.type().read(text.text()), "value");
            values.put(known.name(), value);
            ConfiguredSecrets.keep(text, value);
        } catch (RuntimeException e) { // whatever a plug-in's type throws, the value is rejected
            String taken = text.key().equals(known.name()) ? "" : ", which %s takes as well".formatted(known.name());
            problems.add(new Problem(
                    text.place(), "%s%s: %s".formatted(text.described(), taken, refusal(key.type(), text, e))));
        }
    }

    /**
     * Returns the message for a rejected value. It quotes neither a hidden value nor the type's own message about it.
     */
    private static String refusal(ConfigType<?> type, ResolvedText.Text text, RuntimeException refused) {
        String reason = refused.getMessage();
        if (text.hidden() || reason == null || !(refused instanceof IllegalArgumentException)) {
            return "expected " + type.label();
        }
        return DisplayText.value(reason)
                + Suggestion.nearest(text.text(), type.choices())
                        .map("; did you mean %s?"::formatted)
                        .orElse("");
    }

    private void validateFlag(Known known, RawSetting flag) {
        if (!known.key().isSecret() || Interpolation.parse(flag.written()).hasReferences()) {
            return;
        }
        problems.add(new Problem(
                flag.origin(),
                "%s (%s) is a secret, and command lines are visible to all users of this machine; write it to a file that only you may read and give %s='${file:/path/to/it}', or set the variable %s"
                        .formatted(
                                known.name(),
                                flag.origin().text(),
                                flag.origin().text(),
                                SpreamConfig.variable(known.name()))));
    }

    private void show(Known known, Optional<RawSetting> setting) {
        enter(
                known,
                setting.map(said -> Interpolation.parse(said.written()).shown(known.key())),
                setting.map(said -> said.origin().text()).orElse(""));
    }

    private void enter(Known known, Optional<String> value, String origin) {
        ConfigEntry entry =
                new ConfigEntry(known.name(), known.section().prefix(), known.key(), known.inUse(), value, origin);
        entries.put(known.name(), entry);
    }

    private static String missing(Known known, SpreamConfig config) {
        List<String> ways = Stream.concat(Stream.of(known.name()), known.key().fallback().stream())
                .toList();
        return "%s is not configured; %s: %s"
                .formatted(
                        String.join(" (or else ", ways) + (ways.size() > 1 ? ")" : ""),
                        config.advice(known.name()),
                        known.key().meaning());
    }

    /** @param values the values of all sections by full key; keys without a value and a default are absent */
    private record SectionValues(ConfigSection section, Map<String, Object> values) implements PluginConfig {
        SectionValues {
            values = Map.copyOf(values);
        }

        @Override
        public <T> T get(ConfigKey<T> key) {
            return find(key)
                    .orElseThrow(() -> new IllegalStateException(
                            "%s is not configured and has no default; read it with find instead of get"
                                    .formatted(section.fullName(key))));
        }

        @Override
        @SuppressWarnings("unchecked") // keys are compared by name, and the section's key of this name read the value
        public <T> Optional<T> find(ConfigKey<T> key) {
            if (section.keys().stream().noneMatch(declared -> declared.name().equals(key.name()))) {
                throw new IllegalArgumentException("%s is not among the keys that are declared for %s"
                        .formatted(key, section.prefix().isEmpty() ? "spream itself" : section.prefix()));
            }
            return Optional.ofNullable((T) values.get(section.fullName(key)));
        }

        /** Without the values, which may be secrets. */
        @Override
        public String toString() {
            return "SectionValues[%s]".formatted(section.prefix());
        }
    }
}
