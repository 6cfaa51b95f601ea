package dev.spream.api.config;

import static java.util.Objects.requireNonNull;

import dev.spream.api.config.Origin.Layer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A configuration as text, with where it came from; nothing is judged yet, since which keys there are is known when the plug-ins
 * are. A file is the weakest layer, then come variables of the environment, flags, and what the program itself set.
 *
 * <p>A value may contain <code>${file:/run/secrets/password}</code>, which stands for the contents of that file without the
 * line break at its end (a path that is not absolute begins where the process was started), and <code>${env:NAME}</code>,
 * which stands for that variable. <code>$${</code> is a <code>${</code> that is meant as such.
 *
 * <p>Immutable. Its text shows keys and origins, and no value.
 */
public final class SpreamConfig {
    private static final String VARIABLE_PREFIX = "SPREAM_CONFIG_";

    private final PropertiesFile file;
    private final Map<String, RawSetting> environment;
    private final Map<String, RawSetting> namedVariables;
    private final Map<String, RawSetting> flags;
    private final Map<String, RawSetting> program;
    private final Map<String, String> variables;

    private SpreamConfig(Builder builder) {
        this.file = builder.file == null ? PropertiesFile.none() : PropertiesFile.read(builder.file);
        this.variables = builder.variables == null ? System.getenv() : builder.variables;
        this.environment = environment(builder.variables == null ? Map.of() : builder.variables);
        this.namedVariables = namedVariables(builder);
        this.flags = settings(Layer.FLAG, builder.flags);
        this.program = settings(Layer.PROGRAM, builder.program);
    }

    /** Reads the file, overridden by the environment of this process. Problems of the file are reported later. */
    public static SpreamConfig load(Path file) {
        return builder().file(file).environment(System.getenv()).build();
    }

    /** These values and nothing else. */
    public static SpreamConfig of(Map<String, String> values) {
        Builder builder = builder();
        new TreeMap<>(values).forEach(builder::set);
        return builder.build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The value of a key, before the known keys are resolved. Empty if the key is not configured, or if its value is empty
     * or cannot be resolved, which {@link ResolvedConfig#problems()} reports.
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
     * Returns whether something is configured for a key, or may be in a file that could not be read. If so and {@link #raw} is
     * empty nevertheless, {@link ResolvedConfig#problems()} says why.
     */
    public boolean mayConfigure(String key) {
        return !isComplete() || effective(key).isPresent();
    }

    /** The variable that configures a key: {@code SPREAM_CONFIG_STORAGE_JDBC_URL} for {@code storage.jdbc.url}. */
    public static String variable(String key) {
        return VARIABLE_PREFIX + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
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

    /**
     * Returns whether all that may be configured could be read; what is missing otherwise may stand in what could not be read.
     */
    boolean isComplete() {
        return file.wasRead();
    }

    List<Problem> problems() {
        return file.problems();
    }

    /** All that names a key, of all layers, those that a stronger one overrides included. */
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
        return settings(Layer.ENVIRONMENT, ours);
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

    private static Map<String, RawSetting> settings(Layer layer, Map<String, String> values) {
        Map<String, RawSetting> settings = new LinkedHashMap<>();
        values.forEach((key, value) ->
                settings.put(key, new RawSetting(key, value, new Origin(layer, settings.size(), place(layer, key)))));
        return settings;
    }

    private static String place(Layer layer, String key) {
        return switch (layer) {
            case FLAG -> "--" + key;
            case PROGRAM -> "set by the program";
            case FILE, ENVIRONMENT, NOWHERE -> key;
        };
    }

    /** Collects the layers, in any order. Not safe for use by several threads. */
    public static final class Builder {
        private final Map<String, String> flags = new LinkedHashMap<>();
        private final Map<String, String> program = new LinkedHashMap<>();
        private @Nullable Path file;
        private @Nullable Map<String, String> variables;
        private boolean projectionVariables;

        private Builder() {}

        /** A file in the syntax of {@link java.util.Properties}, in UTF-8. It has to exist. The last one that is given counts. */
        public Builder file(Path file) {
            this.file = requireNonNull(file, "file");
            return this;
        }

        /**
         * The variables of the environment. Those whose name begins with {@code SPREAM_CONFIG_} configure the key that the rest
         * names, in capitals and with {@code _} for every dot and hyphen. Where these say nothing, the worker of an outbox is
         * also configured by {@code OUTBOX_ENABLED}, {@code OUTBOX_CONCURRENCY}, {@code OUTBOX_BATCH}, {@code
         * OUTBOX_POLL_INTERVAL_SEC}, {@code OUTBOX_LOCK_LEASE_SEC}, {@code OUTBOX_MAX_ATTEMPTS}, {@code OUTBOX_BACKOFF_SEC} and
         * {@code BROKER_TIMEOUT_MS}. <code>${env:NAME}</code> is looked up among all of
         * them. Without this call no variable configures anything, and references are looked up in the environment of this
         * process.
         */
        public Builder environment(Map<String, String> variables) {
            this.variables = Map.copyOf(variables);
            return this;
        }

        /**
         * Takes variables of the environment as well by which services of projections are configured, where those with our
         * prefix say nothing: {@code DATABASE_URL} of the read models and {@code EVENT_STORE_URL}, as {@code
         * postgres://user:password@host/database} or for JDBC; {@code PUBSUB_PROJECT_ID}, {@code PUBSUB_SUBSCRIPTION} and {@code
         * PUBSUB_ACK_DEADLINE}; {@code MAX_RETRY_ATTEMPTS} after the first, {@code INITIAL_RETRY_DELAY} and {@code
         * MAX_RETRY_DELAY}. Without this call they mean nothing, since other programs use these names for their own.
         */
        public Builder projectionVariables() {
            projectionVariables = true;
            return this;
        }

        /** Sets a value of the command line. Of two flags with one key the last one counts. */
        public Builder flag(String key, String value) {
            flags.put(requireNonNull(key, "key"), requireNonNull(value, "value"));
            return this;
        }

        /** Sets a value of the program itself, which overrides all others. */
        public Builder set(String key, String value) {
            program.put(requireNonNull(key, "key"), requireNonNull(value, "value"));
            return this;
        }

        /** Reads the file. */
        public SpreamConfig build() {
            return new SpreamConfig(this);
        }
    }
}
