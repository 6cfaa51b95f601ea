package dev.spream.spring;

import static java.util.stream.Collectors.joining;

import dev.spream.api.config.Suggestion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * The properties of the subscriptions: those below {@code spream.subscriptions.<name>}, and those of all of them below
 * {@code spream.defaults}. Names are compared in Spring's relaxed way, so that variables set them too; lists are joined by
 * commas. Problems are collected.
 */
final class SubscriptionSettings {
    static final String PREFIX = "spream";
    static final String DEFAULTS = "defaults";
    static final String SUBSCRIPTIONS = "subscriptions";

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(PREFIX);
    private static final Set<String> OWN =
            Set.of("enabled", "auto-startup", "failure-action", "locks", "emulator-host"); // the last one: of a test
    private static final String EMULATOR_OF_TEST = "spream.emulator-host";
    private static final Pattern REAL_SERVER =
            Pattern.compile("(source|storage)\\.spanner\\.(endpoint|credentials-file|credentials-json)");
    private static final List<String> KNOWN =
            List.of("enabled", "auto-startup", "failure-action", "locks", DEFAULTS, SUBSCRIPTIONS);

    private final ConfigurableEnvironment environment;
    private final Map<String, String> keys = new TreeMap<>(); // by relaxed name
    private final Map<String, SubscriptionSetting> defaults = new LinkedHashMap<>();
    private final Map<String, Map<String, SubscriptionSetting>> subscriptions = new LinkedHashMap<>();
    private final Set<String> written = new TreeSet<>();
    private final List<String> problems = new ArrayList<>();

    private SubscriptionSettings(ConfigurableEnvironment environment, Collection<String> keys) {
        this.environment = environment;
        keys.forEach(key -> this.keys.put(RelaxedName.of(key), key));
    }

    /** @param keys the known keys of spream's configuration */
    static SubscriptionSettings read(ConfigurableEnvironment environment, Collection<String> keys) {
        SubscriptionSettings settings = new SubscriptionSettings(environment, keys);
        List<IterableConfigurationPropertySource> sources = new ArrayList<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                sources.add(iterable);
            }
        }
        sources.stream().filter(source -> !isOfVariables(source)).forEach(settings::readNames);
        settings.written.addAll(settings.subscriptions.keySet());
        sources.forEach(settings::read);
        return settings;
    }

    private static boolean isOfVariables(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
    }

    /** Notes the names of subscriptions. A variable has none, in capitals and without hyphens, where a property has one. */
    private void readNames(IterableConfigurationPropertySource source) {
        source.stream()
                .filter(name -> ROOT.isAncestorOf(name)
                        && name.getNumberOfElements() > 2
                        && name.getElement(1, Form.UNIFORM).equals(SUBSCRIPTIONS))
                .forEach(name -> subscriptions.computeIfAbsent(
                        named(name.getElement(2, Form.ORIGINAL)), declared -> new LinkedHashMap<>()));
    }

    /** Returns the names of the subscriptions. */
    List<String> names() {
        return List.copyOf(subscriptions.keySet());
    }

    /** Returns whether the name is written in a property, other than a variable. */
    boolean isWritten(String subscription) {
        return RelaxedName.find(subscription, written).isPresent();
    }

    List<String> problems() {
        return List.copyOf(problems);
    }

    /** Returns the settings of a subscription over the defaults, by key. */
    Map<String, SubscriptionSetting> of(String subscription) {
        Map<String, SubscriptionSetting> all = new LinkedHashMap<>(defaults);
        all.putAll(subscriptions.getOrDefault(named(subscription), Map.of()));
        return all;
    }

    Map<String, SubscriptionSetting> defaults() {
        return Map.copyOf(defaults);
    }

    private String named(String subscription) {
        return RelaxedName.find(subscription, subscriptions.keySet()).orElse(subscription);
    }

    /** Reads a source, of which the settings of stronger sources are already known. */
    private void read(IterableConfigurationPropertySource source) {
        boolean variables = isOfVariables(source);
        Map<Target, List<ConfigurationProperty>> found = new LinkedHashMap<>();
        source.stream().filter(ROOT::isAncestorOf).distinct().forEach(name -> {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            Target target = property == null ? null : target(property, variables);
            if (property != null && target != null) {
                found.computeIfAbsent(target, key -> new ArrayList<>()).add(property);
            }
        });
        found.forEach(this::keep);
    }

    /** Returns the setting that a property is of; null if it is of none. A cluster's variables may begin with ours. */
    private @Nullable Target target(ConfigurationProperty property, boolean variable) {
        ConfigurationPropertyName name = property.getName();
        String kind = name.getElement(1, Form.UNIFORM);
        if (kind.equals(DEFAULTS) && name.getNumberOfElements() > 2) {
            return new Target(DEFAULTS, "", key(name, 2));
        }
        if (kind.equals(SUBSCRIPTIONS) && name.getNumberOfElements() > 2) {
            String subscription = named(name.getElement(2, Form.ORIGINAL));
            subscriptions.computeIfAbsent(subscription, declared -> new LinkedHashMap<>());
            if (name.getNumberOfElements() > 3) {
                return new Target(SUBSCRIPTIONS, subscription, key(name, 3));
            }
            if (!String.valueOf(property.getValue()).isEmpty()) {
                problems.add("spream.subscriptions.%s (%s) is a value: write a key below it, such as %s.%s"
                        .formatted(subscription, PropertyPlace.of(property), subscription, "max-inflight"));
            }
            return null;
        }
        boolean own = OWN.stream().anyMatch(known -> RelaxedName.same(known, kind));
        if (!own && !variable) {
            problems.add("%s (%s) is not a known property%s"
                    .formatted(name, PropertyPlace.of(property), hint(name.getElement(1, Form.DASHED))));
        }
        return null;
    }

    private static String hint(String kind) {
        return Suggestion.nearest(kind, KNOWN)
                .map("; did you mean spream.%s?"::formatted)
                .orElse(
                        "; keys of spream's configuration are below spream.defaults, for all subscriptions, and spream.subscriptions.<name>");
    }

    /** Returns the known key, or else the text as it is written. */
    private String key(ConfigurationPropertyName name, int from) {
        int to = name.getNumberOfElements();
        while (to > from + 1 && name.isNumericIndex(to - 1)) {
            to--;
        }
        List<String> elements = new ArrayList<>();
        for (int i = from; i < to; i++) {
            elements.add(name.getElement(i, Form.ORIGINAL));
        }
        String written = elements.stream().collect(joining("."));
        return keys.getOrDefault(RelaxedName.of(written), written);
    }

    private void keep(Target target, List<ConfigurationProperty> properties) {
        Map<String, SubscriptionSetting> settings = target.kind().equals(DEFAULTS)
                ? defaults
                : subscriptions.computeIfAbsent(target.subscription(), declared -> new LinkedHashMap<>());
        boolean replaced = environment.containsProperty(EMULATOR_OF_TEST)
                && REAL_SERVER.matcher(target.key()).matches();
        if (replaced || settings.containsKey(target.key())) {
            return;
        }
        String place = PropertyPlace.of(properties.getFirst());
        try {
            String value = properties.stream()
                    .map(property -> PlaceholderText.resolve(String.valueOf(property.getValue()), environment))
                    .collect(joining(","));
            settings.put(target.key(), new SubscriptionSetting(target.key(), value, place));
        } catch (IllegalArgumentException e) {
            // Spring's message may quote the text, which may be secret.
            problems.add(
                    "%s (%s) has a placeholder ${…} that no property resolves; set that property, or give it a default"
                            .formatted(target, place));
        }
    }

    private record Target(String kind, String subscription, String key) {
        @Override
        public String toString() {
            return subscription.isEmpty()
                    ? "spream.defaults." + key
                    : "spream.subscriptions.%s.%s".formatted(subscription, key);
        }
    }
}
