package dev.spream.spring;

import static java.util.stream.Collectors.toMap;

import dev.spream.api.ConfigCheck;
import dev.spream.api.Spream;
import dev.spream.api.config.ConfigEntry;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ConfigType;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Assembles the subscriptions from properties and beans, and validates them. All problems of all subscriptions are
 * reported together. Confined to one thread.
 */
final class SubscriptionAssembly {
    private static final String SINK = "sink";
    private static final String STORAGE = "storage";
    private static final String SUBSCRIPTION = "subscription";
    private static final String SHUTDOWN_TIMEOUT = "shutdown-timeout";
    private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";
    private static final Duration DEFAULT_PHASE_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LONGEST_SHUTDOWN = Duration.ofHours(1);
    private static final ConfigType<Duration> SHUTDOWN = ConfigType.duration(Duration.ZERO, LONGEST_SHUTDOWN);

    private final ConfigurableListableBeanFactory beans;
    private final ConfigurableEnvironment environment;
    private final PluginRegistry plugins;
    private final List<SpreamCustomizer> customizers;
    private final List<StorageFromBean> storages;
    private final SubscriptionSettings settings;
    private final List<String> problems = new ArrayList<>();
    private final StoredPlaces places;
    private final TransactionalIds transactionalIds = new TransactionalIds();

    SubscriptionAssembly(
            ConfigurableListableBeanFactory beans,
            ConfigurableEnvironment environment,
            PluginRegistry plugins,
            List<SpreamCustomizer> customizers,
            List<StorageFromBean> storages) {
        this.beans = beans;
        this.environment = environment;
        this.plugins = plugins;
        this.customizers = customizers;
        this.storages = storages;
        this.places = new StoredPlaces(!storages.isEmpty());
        this.settings = SubscriptionSettings.read(environment, keys(plugins));
    }

    private static List<String> keys(PluginRegistry plugins) {
        return ConfigCheck.of(SpreamConfig.of(Map.of()), plugins).entries().stream()
                .map(ConfigEntry::key)
                .toList();
    }

    /**
     * Returns the subscriptions, each validated.
     *
     * @throws ConfigException with the problems of all of them
     */
    List<ManagedSubscription> assemble() {
        problems.addAll(settings.problems());
        SubscriptionBeans<Consumer> consumers = SubscriptionBeans.of(beans, Consumer.class);
        List<String> configured = settings.names().stream()
                .map(name -> settings.isWritten(name)
                        ? name
                        : consumers.nameLike(name).orElse(name))
                .toList();
        List<String> withSink = configured.stream()
                .filter(name -> settings.of(name).containsKey(SINK))
                .toList();
        ConsumerAssignment assignment = ConsumerAssignment.of(consumers, configured, withSink);
        problems.addAll(assignment.problems());
        List<String> names = assignment.subscriptions();
        Components components = new Components(beans, names);
        problems.addAll(components.problems());
        List<ManagedSubscription> subscriptions = names.stream()
                .flatMap(name -> assemble(name, assignment.consumer(name).map(consumers::bean), components).stream())
                .toList();
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return subscriptions;
    }

    private Optional<ManagedSubscription> assemble(String name, Optional<Consumer> consumer, Components components) {
        Map<String, SubscriptionSetting> own = new LinkedHashMap<>(settings.of(name));
        if (consumer.isEmpty() && !own.containsKey(SINK)) {
            problems.add(
                    "%s: it has no consumer: declare a bean of type Consumer with this name or with @SpreamSubscription(\"%s\"), or set spream.subscriptions.%s.sink"
                            .formatted(name, name, name));
            return Optional.empty();
        }
        refuseUnused(name, own);
        limitShutdown(name, own);
        if (components.storage(name).isEmpty()) {
            places.add(name, own).ifPresent(problems::add);
        }
        if (consumer.isEmpty()) {
            transactionalIds.add(name, own).ifPresent(problems::add);
        }
        Optional<PartitionStorage> storage = storage(name, own, components);
        SpreamConfig.Builder config = SpreamConfig.builder()
                .set(SUBSCRIPTION, name, "the name of the subscription")
                .advice(key -> "set spream.subscriptions.%s.%s or spream.defaults.%s".formatted(name, key, key));
        own.values().forEach(setting -> config.set(setting.key(), setting.value(), setting.origin()));
        Spream.Builder builder = Spream.builder(config.build()).plugins(plugins);
        consumer.ifPresent((Consumer bean) -> builder.consumer(bean));
        storage.ifPresent(builder::storage);
        components.addTo(builder, name);
        customizers.forEach(customizer -> customizer.customize(name, builder));
        ManagedSubscription subscription = new ManagedSubscription(name, builder);
        try {
            subscription.validate();
        } catch (ConfigException e) {
            e.problems().forEach(problem -> problems.add(name + ": " + problem));
        }
        return Optional.of(subscription);
    }

    private Optional<PartitionStorage> storage(
            String name, Map<String, SubscriptionSetting> own, Components components) {
        Optional<PartitionStorage> bean = components.storage(name);
        if (bean.isPresent()) {
            return bean;
        }
        Map<String, String> values =
                own.values().stream().collect(toMap(SubscriptionSetting::key, SubscriptionSetting::value));
        String stored = values.getOrDefault(SUBSCRIPTION, name);
        for (StorageFromBean source : storages) {
            try {
                Optional<PartitionStorage> found = source.find(stored, values);
                if (found.isPresent()) {
                    own.keySet().removeIf(key -> key.equals(STORAGE) || key.startsWith(STORAGE + "."));
                    return found;
                }
            } catch (IllegalArgumentException e) {
                problems.add("%s: %s".formatted(name, e.getMessage()));
            }
        }
        return Optional.empty();
    }

    /** Keys that are known and would have no effect here. */
    private void refuseUnused(String name, Map<String, SubscriptionSetting> own) {
        for (String key : List.of("http", "http-token")) {
            SubscriptionSetting http = own.remove(key);
            if (http != null) {
                problems.add("%s: %s has no effect in an application: Actuator serves health and metrics; remove it"
                        .formatted(name, http));
            }
        }
        SubscriptionSetting folder = own.get("plugins");
        if (folder != null && !folder.equals(settings.defaults().get("plugins"))) {
            problems.add(
                    "%s: %s would be for one subscription, and all share their plug-ins: set spream.defaults.plugins"
                            .formatted(name, folder));
        }
    }

    /** A shutdown that takes longer than the application context waits would be cut off without an interrupt. */
    private void limitShutdown(String name, Map<String, SubscriptionSetting> own) {
        Duration phase = phaseTimeout();
        Duration limit = phase.compareTo(Duration.ofSeconds(10)) > 0
                ? phase.minusSeconds(2)
                : phase.multipliedBy(4).dividedBy(5);
        Duration shutdown = limit.compareTo(LONGEST_SHUTDOWN) > 0 ? LONGEST_SHUTDOWN : limit;
        SubscriptionSetting configured = own.get(SHUTDOWN_TIMEOUT);
        if (configured == null) {
            own.put(
                    SHUTDOWN_TIMEOUT,
                    new SubscriptionSetting(SHUTDOWN_TIMEOUT, Math.max(0, shutdown.toMillis()) + "ms", PHASE_TIMEOUT));
        } else if (isLonger(configured.value(), phase)) {
            problems.add(
                    "%s: shutdown-timeout is %s (%s), longer than the application context waits, %ss: raise %s, or lower it"
                            .formatted(
                                    name, configured.value(), configured.origin(), phase.toSeconds(), PHASE_TIMEOUT));
        }
    }

    private Duration phaseTimeout() {
        return Optional.ofNullable(environment.getProperty(PHASE_TIMEOUT))
                .map(DurationStyle::detectAndParse)
                .orElse(DEFAULT_PHASE_TIMEOUT);
    }

    private static boolean isLonger(String shutdown, Duration phase) {
        try {
            return SHUTDOWN.read(shutdown).compareTo(phase) > 0;
        } catch (IllegalArgumentException e) {
            return false; // reported by the validation
        }
    }

    /** The beans that are used instead of configured components. */
    private record Components(
            SubscriptionBeans<ChangeStreamSource> sources,
            SubscriptionBeans<PartitionStorage> storages,
            SubscriptionBeans<DeadLetterSink> deadLetters,
            SubscriptionBeans<ErrorHandler> errorHandlers,
            SubscriptionBeans<SubscriptionListener> listeners,
            List<String> subscriptions) {
        Components(ConfigurableListableBeanFactory beans, List<String> subscriptions) {
            this(
                    SubscriptionBeans.of(beans, ChangeStreamSource.class),
                    SubscriptionBeans.of(beans, PartitionStorage.class),
                    SubscriptionBeans.of(beans, DeadLetterSink.class),
                    SubscriptionBeans.of(beans, ErrorHandler.class),
                    SubscriptionBeans.of(beans, SubscriptionListener.class),
                    subscriptions);
        }

        List<String> problems() {
            List<String> all = new ArrayList<>();
            for (SubscriptionBeans<?> kind : List.of(sources, storages, deadLetters, errorHandlers, listeners)) {
                all.addAll(kind.strangers(subscriptions));
                if (kind != listeners) {
                    subscriptions.forEach(name -> ambiguous(kind, name).ifPresent(all::add));
                }
            }
            for (SubscriptionBeans<?> kind : List.of(sources, storages, deadLetters)) {
                if (subscriptions.size() > 1) {
                    kind.unannotated()
                            .forEach(bean -> all.add(
                                    "the bean %s serves one subscription, and there are %s: annotate it with @SpreamSubscription"
                                            .formatted(bean, subscriptions)));
                }
            }
            return all.stream().distinct().toList();
        }

        private static Optional<String> ambiguous(SubscriptionBeans<?> kind, String name) {
            List<String> chosen = kind.chosenFor(name);
            return chosen.size() < 2
                    ? Optional.empty()
                    : Optional.of(
                            "%s: the beans %s are of one type: keep one, or annotate them with @SpreamSubscription"
                                    .formatted(name, chosen));
        }

        Optional<PartitionStorage> storage(String name) {
            return one(storages, name);
        }

        void addTo(Spream.Builder builder, String name) {
            one(sources, name).ifPresent(builder::source);
            one(deadLetters, name).ifPresent(builder::deadLetterSink);
            one(errorHandlers, name).ifPresent(builder::errorHandler);
            listeners.allFor(name).forEach(builder::listener);
        }

        private static <T> Optional<T> one(SubscriptionBeans<T> kind, String name) {
            List<String> chosen = kind.chosenFor(name);
            return chosen.size() == 1 ? Optional.of(kind.bean(chosen.getFirst())) : Optional.empty();
        }
    }
}
