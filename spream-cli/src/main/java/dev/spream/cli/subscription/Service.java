package dev.spream.cli.subscription;

import dev.spream.api.HttpAddress;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.cli.command.Verbosity;
import dev.spream.cli.http.HttpEndpoints;
import dev.spream.cli.http.PageParts;
import dev.spream.cli.output.Terminal;
import dev.spream.cli.output.TimedLine;
import dev.spream.cli.panel.ConfiguredPanels;
import dev.spream.cli.service.Operations;
import dev.spream.cli.service.Tracing;
import dev.spream.core.subscription.CompletionReason;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/** A run of the configured subscription, until its end, a signal or a failure. */
final class Service {
    /** The configuration key that renames the sink's logger. */
    private static final String LOG_SINK_LOGGER = "sink.log.logger";

    private static final String UNNAMED = "spream";

    private final SpreamConfig config;
    private final String command;
    private final Optional<HttpAddress> http;
    private final Supplier<ConfiguredPanels> panels;
    private final WatermarkProgress progress = new WatermarkProgress(System.err, InstantSource.system());
    private final long startNanos = System.nanoTime();
    private final RunTally tally = new RunTally();
    private final PartitionTally partitions = new PartitionTally();

    /**
     * Creates a run.
     *
     * @param command the name of the command, for its lines
     * @param http the address of its HTTP server, if it has one
     * @param panels creates the panels of its page; not called without a server
     */
    Service(SpreamConfig config, String command, Optional<HttpAddress> http, Supplier<ConfiguredPanels> panels) {
        this.config = config;
        this.command = command;
        this.http = http;
        this.panels = panels;
    }

    int run() throws Exception {
        if (sinkIs("log")) {
            config.raw(LOG_SINK_LOGGER).ifPresent(Verbosity::show);
        }
        Spream.Builder builder = Spream.builder(config)
                .listener(progress)
                .listener(tally)
                .listener(partitions)
                .listener(new FutureStart(this::say, InstantSource.system()))
                .listener(new ConnectivityWarning(this::say, InstantSource.system()));
        String subscription = subscription();
        builder.around(consumer -> Tracing.around(consumer, subscription));
        try (ConfiguredPanels opened = panels(builder);
                Operations<HttpEndpoints> operations =
                        new Operations<>(http, where -> new HttpEndpoints(where, subscription, parts(opened)))) {
            operations.endpoints().ifPresent(shown -> shown.listeners().forEach(builder::listener));
            try (Spream spream = builder.build();
                    Draining draining = new Draining(() -> drain(spream, operations), spream::close)) {
                return operations.show(() -> run(spream, draining));
            }
        } finally {
            progress.line().end();
        }
    }

    private ConfiguredPanels panels(Spream.Builder builder) {
        if (http.isEmpty()) {
            return ConfiguredPanels.none();
        }
        builder.build().close(); // reports the problems of the whole configuration, before those of a panel
        return panels.get();
    }

    private PageParts parts(ConfiguredPanels opened) {
        return new PageParts(opened.panels(), Operations.token(config));
    }

    private void say(String line) {
        progress.line().printLine("%s: %s".formatted(command, line));
    }

    /** Returns the configured name; the source may determine another. */
    private String subscription() {
        return config.raw("subscription")
                .or(() -> config.raw(ChangeStreamSourceProvider.PORT.key())
                        .flatMap(source -> config.raw("source." + source + ".stream")))
                .orElse(UNNAMED);
    }

    private static boolean drain(Spream spream, Operations<HttpEndpoints> operations) {
        operations.draining();
        return spream.shutdown();
    }

    private boolean sinkIs(String name) {
        return config.raw(ConsumerProvider.PORT.key()).filter(name::equals).isPresent();
    }

    private int run(Spream spream, Draining draining) throws Exception {
        // Changes are probably printed to the same terminal, where a rewritten line would interfere.
        if (Terminal.watched() && !sinkIs("stdout")) {
            progress.line().show();
        }
        try {
            CompletionReason result = spream.run();
            finish(spream, draining.ending(result));
            return draining.exitCode(result);
        } catch (Exception e) {
            if (tally.anySettled()) {
                finish(spream, "a failure");
            }
            throw e;
        }
    }

    private void finish(Spream spream, String ending) {
        progress.line().end();
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        System.err.println(TimedLine.of(String.format(
                Locale.ROOT,
                "%s: %s in %.1f s; %s, %s; ended by %s",
                command,
                tally.settled(spream.filtered()),
                seconds,
                partitions.counts(),
                tally.shares(),
                ending)));
    }
}
