package dev.spream.cli.panel;

import dev.spream.api.ConfiguredDeadLetters;
import dev.spream.api.ConfiguredLocks;
import dev.spream.api.ConfiguredOutbox;
import dev.spream.api.ConfiguredProjections;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.api.spi.LockStoreProvider;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.api.spi.Port;
import dev.spream.api.spi.ProjectionStoreProvider;
import dev.spream.cli.http.Panel;
import dev.spream.core.LoggedFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The panels that a configuration has: one for each of {@code dead-letters}, {@code outbox}, {@code projections} and
 * {@code locks} that it names. Connections are opened when a panel is looked at. Confined to one thread, which closes
 * it; the panels are safe for use by many.
 */
public final class ConfiguredPanels implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ConfiguredPanels.class);

    private static final String FILE_OF_ONE_PROCESS = "jsonl";

    private final Function<Port<?>, SpreamConfig> configs;
    private final List<Panel> panels = new ArrayList<>();
    private final Deque<AutoCloseable> closing = new ArrayDeque<>();

    private ConfiguredPanels(Function<Port<?>, SpreamConfig> configs) {
        this.configs = configs;
    }

    /**
     * Returns the panels of the configured ports.
     *
     * @param configs the configuration for an operator of a port, which neither creates nor migrates tables
     * @throws ConfigException if the configuration of one is invalid
     */
    public static ConfiguredPanels of(SpreamConfig config, Function<Port<?>, SpreamConfig> configs) {
        ConfiguredPanels made = new ConfiguredPanels(configs);
        try {
            if (hasDeadLetters(config)) {
                made.addDeadLetters();
            }
            if (config.mayConfigure(OutboxStoreProvider.PORT.key())) {
                made.addOutbox();
            }
            if (config.mayConfigure(ProjectionStoreProvider.PORT.key())) {
                made.addProjections();
            }
            if (config.mayConfigure(LockStoreProvider.PORT.key())) {
                made.addLocks();
            }
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    /** Returns whether the configuration has any panel. */
    public static boolean hasAny(SpreamConfig config) {
        return hasDeadLetters(config)
                || Stream.of(OutboxStoreProvider.PORT, ProjectionStoreProvider.PORT, LockStoreProvider.PORT)
                        .anyMatch(port -> config.mayConfigure(port.key()));
    }

    /** Returns no panels. */
    public static ConfiguredPanels none() {
        return new ConfiguredPanels(port -> SpreamConfig.of(Map.of()));
    }

    public List<Panel> panels() {
        return List.copyOf(panels);
    }

    private void addDeadLetters() {
        SpreamConfig config = configs.apply(DeadLetterSinkProvider.PORT);
        Opening<ConfiguredDeadLetters> opening = new Opening<>(() -> closingLast(ConfiguredDeadLetters.open(config)));
        DeadLettersPanel panel = new DeadLettersPanel(opening, () -> ConfiguredDeadLetters.open(config));
        panels.add(panel);
        closing(panel);
    }

    /** Returns whether dead letters are configured that several processes can have open: a file is locked by one. */
    private static boolean hasDeadLetters(SpreamConfig config) {
        return config.mayConfigure(DeadLetterSinkProvider.PORT.key())
                && config.raw(DeadLetterSinkProvider.PORT.key())
                        .filter(FILE_OF_ONE_PROCESS::equals)
                        .isEmpty();
    }

    private void addOutbox() {
        ConfiguredOutbox outbox = closing(ConfiguredOutbox.open(configs.apply(OutboxStoreProvider.PORT)));
        panels.add(new OutboxPanel(new Opening<>(outbox::operations), Optional::empty));
    }

    private void addProjections() {
        ConfiguredProjections projections =
                closing(ConfiguredProjections.open(configs.apply(ProjectionStoreProvider.PORT)));
        panels.add(new ProjectionsPanel(new Opening<>(projections::operations)));
    }

    private void addLocks() {
        ConfiguredLocks locks = closing(ConfiguredLocks.open(configs.apply(LockStoreProvider.PORT)));
        panels.add(new LocksPanel(new Opening<>(locks::observer)));
    }

    private <C extends AutoCloseable> C closing(C part) {
        synchronized (closing) {
            closing.push(part);
        }
        return part;
    }

    private <C extends AutoCloseable> C closingLast(C part) {
        synchronized (closing) {
            closing.addLast(part);
        }
        return part;
    }

    /** Ends what the panels run, then closes all connections. Failures are only logged. */
    @Override
    public void close() {
        synchronized (closing) {
            while (!closing.isEmpty()) {
                AutoCloseable part = closing.pop();
                try {
                    part.close();
                } catch (Exception e) {
                    log.warn("closing a panel of the page failed; nothing else is affected", LoggedFailure.of(e));
                }
            }
        }
    }
}
