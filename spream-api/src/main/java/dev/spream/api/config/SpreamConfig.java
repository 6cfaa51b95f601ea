package dev.spream.api.config;

import static java.util.Objects.requireNonNull;

import dev.spream.api.config.Origin.Layer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A configuration as text, with the origin of each value. It is validated later, when the plug-ins and so the keys are
 * known. Layers by increasing priority: a file, environment variables, flags, values set by the program.
 *
 * <p>A value may contain <code>${file:/run/secrets/password}</code>, which is replaced by the content of that file
 * without its trailing line break (a relative path is resolved against the working directory), and
 * <code>${env:NAME}</code>, which is replaced by that environment variable. <code>$${</code> is a literal
 * <code>${</code>.
 *
 * <p>Immutable. {@code toString} shows keys and origins, and no value.
 */
public final class SpreamConfig {
    private static final String VARIABLE_PREFIX = "SPREAM_CONFIG_";

    private final PropertiesFile file;
    private final Map<String, RawSetting> environment;
    private final Map<String, RawSetting> namedVariables;
    private final Map<String, RawSetting> flags;
    private final Map<String, RawSetting> program;
    private final Map<String, String> variables;
    private final UnaryOperator<String> advice;

    private SpreamConfig(Builder builder) {
        this.file = builder.file == null ? PropertiesFile.none() : PropertiesFile.read(builder.file);
        this.variables = builder.variables == null ? System.getenv() : builder.variables;
        this.environment = environment(builder.variables == null ? Map.of() : builder.variables);
        builder.leftOut.forEach(key -> {
            file.settings().keySet().removeIf(known -> isWithin(known, key, '.'));
            environment.keySet().removeIf(known -> isWithin(known, variable(key), '_'));
        });
        this.namedVariables = namedVariables(builder);
        this.flags = settings(Layer.FLAG, builder.flags, Map.of());
        this.program = settings(Layer.PROGRAM, builder.program, builder.origins);
        this.advice = builder.advice;
    }

    private SpreamConfig(SpreamConfig base, Predicate<String> dropped, Map<String, RawSetting> added) {
        this.file = base.file.without(dropped);
        this.variables = base.variables;
        this.environment = base.environment;
        this.namedVariables = base.namedVariables;
        this.flags = without(base.flags, dropped);
        this.program = without(base.program, dropped);
        this.program.putAll(added);
        this.advice = base.advice;
    }

    private static Map<String, RawSetting> without(Map<String, RawSetting> settings, Predicate<String> dropped) {
        Map<String, RawSetting> rest = new LinkedHashMap<>(settings);
        rest.keySet().removeIf(dropped);
        return rest;
    }

    /**
     * Returns the names in a group of keys, in their order: {@code mail} for {@code senders.mail} and
     * {@code senders.mail.http.url} in the group {@code senders}. Environment variables name none.
     */
    public Set<String> namesIn(String group) {
        Set<String> names = new TreeSet<>();
        keyed().stream()
                .map(setting -> setting.name().split("\\.", 3))
                .filter(parts -> parts.length > 1 && parts[0].equals(group))
                .forEach(parts -> names.add(parts[1]));
        return names;
    }

    /** Returns this configuration without a group of keys. */
    public SpreamConfig without(String group) {
        return new SpreamConfig(this, key -> isBelow(key, group), Map.of());
    }

    /**
     * Returns this configuration with the keys of one name of a group in the place of others, and without the rest of the
     * group. They override the values that those have, and keep their origins.
     *
     * @param replaced the key that is dropped with all keys below it
     * @param key returns the key to replace for the rest of a key: for {@code http.url} of {@code senders.mail.http.url},
     *     and for the empty rest of {@code senders.mail}
     */
    public SpreamConfig with(String group, String name, String replaced, UnaryOperator<String> key) {
        String own = group + "." + name;
        Map<String, RawSetting> added = new LinkedHashMap<>();
        keyed().stream().filter(setting -> isBelow(setting.name(), own)).forEach(setting -> {
            String rest = setting.name().equals(own) ? "" : setting.name().substring(own.length() + 1);
            String replacing = key.apply(rest);
            added.put(replacing, new RawSetting(replacing, setting.written(), setting.origin(), setting.readable()));
        });
        return new SpreamConfig(this, each -> isBelow(each, group) || isBelow(each, replaced), added);
    }

    private static boolean isBelow(String key, String group) {
        return key.equals(group) || key.startsWith(group + ".");
    }

    /**
     * Loads the file, overridden by the environment of this process. Problems of the file are reported on validation.
     */
    public static SpreamConfig load(Path file) {
        return builder().file(file).environment(System.getenv()).build();
    }

    /** Returns a configuration of these values only. */
    public static SpreamConfig of(Map<String, String> values) {
        Builder builder = builder();
        new TreeMap<>(values).forEach(builder::set);
        return builder.build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the value of a key, before the known keys are resolved. Empty if the key is not configured, or if its
     * value is empty or cannot be resolved, which {@link ResolvedConfig#problems()} reports.
     *
     * @param key in full, such as {@code storage}
     */
    public Optional<String> raw(String key) {
        return effective(key)
                .filter(RawSetting::readable)
                .map(setting -> Interpolation.parse(setting.written()).resolve(variables, false))
                .filter(resolved -> resolved.problems().isEmpty())
                .map(Interpolation.Resolved::text)
                .filter(text -> !text.isEmpty());
    }

    /**
     * Returns whether a key is configured, or may be in a file that could not be read. If so and {@link #raw} is empty,
     * {@link ResolvedConfig#problems()} reports the reason.
     */
    public boolean mayConfigure(String key) {
        return !isComplete() || effective(key).isPresent();
    }

    /** Returns the variable that sets a key: {@code SPREAM_CONFIG_STORAGE_JDBC_URL} for {@code storage.jdbc.url}. */
    public static String variable(String key) {
        return VARIABLE_PREFIX + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** Returns the advice for a key that is missing: the ways to set it. */
    public String advice(String key) {
        return advice.apply(key);
    }

    private static String usualAdvice(String key) {
        return "set it in the file, by the flag --%s or by the variable %s".formatted(key, variable(key));
    }

    Optional<RawSetting> effective(String key) {
        return Stream.of(
                        program.get(key),
                        flags.get(key),
                        environment.get(variable(key)),
                        namedVariables.get(key),
                        file.settings().get(key))
                .flatMap(Stream::ofNullable)
                .findFirst();
    }

    /** Returns whether every layer could be read. If not, a missing key may be set in an unreadable one. */
    boolean isComplete() {
        return file.wasRead();
    }

    List<Problem> problems() {
        return file.problems();
    }

    /** Returns the settings of all layers that name a key, overridden ones included. */
    List<RawSetting> keyed() {
        return Stream.of(file.settings(), flags, program)
                .flatMap(layer -> layer.values().stream())
                .toList();
    }

    List<RawSetting> flags() {
        return List.copyOf(flags.values());
    }

    List<RawSetting> variables() {
        return List.copyOf(environment.values());
    }

    Interpolation.Resolved resolve(Interpolation template, boolean secret) {
        return template.resolve(variables, secret);
    }

    @Override
    public String toString() {
        return Stream.concat(keyed().stream(), variables().stream())
                .map(RawSetting::toString)
                .collect(Collectors.joining(", ", "SpreamConfig[", "]"));
    }

    private static Map<String, RawSetting> environment(Map<String, String> variables) {
        Map<String, String> ours = new TreeMap<>(variables);
        ours.keySet().removeIf(name -> !name.startsWith(VARIABLE_PREFIX));
        return settings(Layer.ENVIRONMENT, ours, Map.of());
    }

    private static Map<String, RawSetting> namedVariables(Builder builder) {
        Map<String, String> variables = builder.variables == null ? Map.of() : builder.variables;
        Map<String, RawSetting> settings =
                new LinkedHashMap<>(NamedVariable.settings(NamedVariable.OF_OUTBOX, variables));
        if (builder.projectionVariables) {
            settings.putAll(NamedVariable.settings(NamedVariable.OF_PROJECTIONS, variables));
        }
        return settings;
    }

    private static boolean isWithin(String key, String outer, char separator) {
        return key.equals(outer) || key.startsWith(outer + separator);
    }

    /** @param origins the places of values, where they differ from the usual place of the layer */
    private static Map<String, RawSetting> settings(
            Layer layer, Map<String, String> values, Map<String, String> origins) {
        Map<String, RawSetting> settings = new LinkedHashMap<>();
        values.forEach((key, value) -> {
            String place = origins.getOrDefault(key, place(layer, key));
            settings.put(key, new RawSetting(key, value, new Origin(layer, settings.size(), place)));
        });
        return settings;
    }

    private static String place(Layer layer, String key) {
        return switch (layer) {
            case FLAG -> "--" + key;
            case PROGRAM -> "set by the program";
            case FILE, ENVIRONMENT, NOWHERE -> key;
        };
    }

    /** Collects the layers, in any order. Not thread-safe. */
    public static final class Builder {
        private final Map<String, String> flags = new LinkedHashMap<>();
        private final Map<String, String> program = new LinkedHashMap<>();
        private final Map<String, String> origins = new LinkedHashMap<>();
        private final List<String> leftOut = new ArrayList<>();
        private UnaryOperator<String> advice = SpreamConfig::usualAdvice;
        private @Nullable Path file;
        private @Nullable Map<String, String> variables;
        private boolean projectionVariables;

        private Builder() {}

        /**
         * Sets the file, in the syntax of {@link java.util.Properties} and UTF-8. It must exist. The last file given is
         * used.
         */
        public Builder file(Path file) {
            this.file = requireNonNull(file, "file");
            return this;
        }

        /**
         * Sets the environment variables. Those whose name begins with {@code SPREAM_CONFIG_} set the key that the rest
         * names, in capitals and with {@code _} for every dot and hyphen. With lower priority, the outbox worker is
         * also configured by {@code OUTBOX_ENABLED}, {@code OUTBOX_CONCURRENCY}, {@code OUTBOX_BATCH},
         * {@code OUTBOX_POLL_INTERVAL_SEC}, {@code OUTBOX_LOCK_LEASE_SEC}, {@code OUTBOX_MAX_ATTEMPTS},
         * {@code OUTBOX_BACKOFF_SEC} and {@code BROKER_TIMEOUT_MS}. References <code>${env:NAME}</code> are resolved
         * from all of them. Without this call no variable sets a key, and references are resolved from the environment
         * of this process.
         */
        public Builder environment(Map<String, String> variables) {
            this.variables = Map.copyOf(variables);
            return this;
        }

        /**
         * Also reads the environment variables of existing projection services, with lower priority than prefixed ones:
         * {@code DATABASE_URL} of the read models and {@code EVENT_STORE_URL}, as
         * {@code postgres://user:password@host/database} or JDBC URLs; {@code PUBSUB_PROJECT_ID},
         * {@code PUBSUB_SUBSCRIPTION} and {@code PUBSUB_ACK_DEADLINE}; {@code MAX_RETRY_ATTEMPTS}, which excludes the
         * first attempt, {@code INITIAL_RETRY_DELAY} and {@code MAX_RETRY_DELAY}. Disabled by default, since other
         * programs use these names, too.
         */
        public Builder projectionVariables() {
            projectionVariables = true;
            return this;
        }

        /** Leaves out a key, and the keys below it, of the file and of the environment. */
        public Builder without(String key) {
            leftOut.add(requireNonNull(key, "key"));
            return this;
        }

        /** Sets a value from a flag. Of two flags with the same key the last one is used. */
        public Builder flag(String key, String value) {
            flags.put(requireNonNull(key, "key"), requireNonNull(value, "value"));
            return this;
        }

        /** Sets a value from the program itself, which overrides all others. */
        public Builder set(String key, String value) {
            program.put(requireNonNull(key, "key"), requireNonNull(value, "value"));
            origins.remove(key);
            return this;
        }

        /**
         * Sets a value from the program itself, which has it from elsewhere, such as from a configuration of its own.
         *
         * @param origin the place where it is set, for messages, such as {@code application.yaml:7}
         */
        public Builder set(String key, String value, String origin) {
            set(key, value);
            origins.put(key, requireNonNull(origin, "origin"));
            return this;
        }

        /**
         * Sets the advice for missing keys, for a program whose users set keys in another way than in a file, by flags or
         * by variables.
         *
         * @param advice returns for a key in full an imperative clause, such as {@code set the property app.storage}
         */
        public Builder advice(UnaryOperator<String> advice) {
            this.advice = requireNonNull(advice, "advice");
            return this;
        }

        /** Reads the file. */
        public SpreamConfig build() {
            return new SpreamConfig(this);
        }
    }
}
