package dev.spream.cli.dashboard;

import dev.spream.api.ConfiguredSubscriptions;
import dev.spream.api.HttpAddress;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.SubscriptionCatalog;
import dev.spream.cli.command.ConfigArguments;
import dev.spream.cli.command.LongRunning;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.command.UsageFailure;
import dev.spream.cli.http.DashboardEndpoints;
import dev.spream.cli.http.DashboardEndpoints.Stored;
import dev.spream.cli.http.PageParts;
import dev.spream.cli.http.Panel;
import dev.spream.cli.http.StoredSubscriptions;
import dev.spream.cli.panel.ConfiguredPanels;
import dev.spream.cli.panel.Opening;
import dev.spream.cli.panel.SubscriptionsPanel;
import dev.spream.cli.service.Operations;
import dev.spream.cli.service.StopSignals;
import dev.spream.core.SpreamException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** Serves the page for everything that the configuration names. */
@Command(
        name = "dashboard",
        description =
                "Serves the page for all subscriptions of a storage, and for the dead letters, outbox, projections and"
                        + " locks that the configuration names. It runs none of them, and can start before and end after them.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:ended by a signal", "1:failure", "2:usage error or invalid configuration"},
        footer = {
            "",
            "Every key of the configuration is a flag too. With storage the page lists all of its subscriptions, and shows the"
                    + " partitions of the configured one, or of the one that is chosen in the list. It has a part for each of"
                    + " dead-letters, outbox, projections and locks that is configured too, and is served on http, by"
                    + " default 127.0.0.1:8080. Tables are neither created nor migrated, unless configured.",
            "It is read-only without http-token. With it, commands such as the replay of dead letters need the token.",
            "",
            "Try: spream dashboard --config spream.properties --http 8081"
        })
public final class DashboardCommand extends Subcommand implements LongRunning {
    private static final String DEFAULT_ADDRESS = "8080";
    private static final String UNNAMED = "spream";

    @Mixin
    private final ConfigArguments arguments = new ConfigArguments();

    @Override
    public Integer call() throws Exception {
        SpreamConfig config = arguments.config();
        if (!config.mayConfigure(PartitionStorageProvider.PORT.key()) && !ConfiguredPanels.hasAny(config)) {
            throw new UsageFailure(
                    config.mayConfigure(DeadLetterSinkProvider.PORT.key())
                            ? "there is nothing to show: a file of dead-letters=jsonl is open in its subscription alone;"
                                    + " add storage, outbox, projections or locks, or keep dead letters in a database"
                                    + " with dead-letters=jdbc"
                            : "there is nothing to show: configure storage, dead-letters, outbox, projections or locks");
        }
        if (config.raw(PartitionStorageProvider.PORT.key())
                .filter("memory"::equals)
                .isPresent()) {
            throw new UsageFailure(
                    "storage is memory, which no other process can read: set jdbc or spanner, or remove it");
        }
        if (config.mayConfigure(DeadLetterSinkProvider.PORT.key())) {
            Spream.create(config).close(); // only validates it: a replay needs the whole subscription
        }
        try (ConfiguredPanels panels = ConfiguredPanels.of(config, port -> arguments.unmigrated(port, List.of()))) {
            if (!config.mayConfigure(PartitionStorageProvider.PORT.key())) {
                return serve(config, Optional.empty(), panels.panels());
            }
            try (ConfiguredSubscriptions configured = ConfiguredSubscriptions.open(
                            arguments.unmigrated(PartitionStorageProvider.PORT, List.of()));
                    StoredSubscriptions subscriptions = stored(configured)) {
                return serve(
                        config,
                        Optional.of(new Stored(configured.subscription(), subscriptions)),
                        Stream.concat(Stream.of(new SubscriptionsPanel(subscriptions)), panels.panels().stream())
                                .toList());
            }
        }
    }

    private static StoredSubscriptions stored(ConfiguredSubscriptions configured) {
        Opening<SubscriptionCatalog> opening = new Opening<>(configured::catalog);
        return new StoredSubscriptions(() -> catalog(opening));
    }

    private static SubscriptionCatalog catalog(Opening<SubscriptionCatalog> opening) {
        try {
            return opening.get();
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SpreamException("opening the storage was interrupted", e);
        } catch (Exception e) {
            throw new SpreamException("the storage could not be opened: " + e.getMessage(), e);
        }
    }

    private int serve(SpreamConfig config, Optional<Stored> stored, List<Panel> panels) throws Exception {
        HttpAddress address = Operations.address(config).orElseGet(() -> HttpAddress.parse(DEFAULT_ADDRESS));
        PageParts parts = new PageParts(panels, Operations.token(config));
        String name = stored.flatMap(Stored::chosen).orElse(UNNAMED);
        try (Operations<DashboardEndpoints> operations =
                new Operations<>(Optional.of(address), where -> new DashboardEndpoints(where, name, stored, parts))) {
            return operations.show(() -> awaitEnd(operations));
        }
    }

    private int awaitEnd(Operations<DashboardEndpoints> operations) throws InterruptedException {
        Thread working = Thread.currentThread();
        try (StopSignals signals = StopSignals.install(operations::draining, working::interrupt)) {
            operations.endpoints().ifPresent(DashboardEndpoints::running);
            signals.awaitFirst();
            report("dashboard: ended by a signal");
            return ExitCode.OK;
        }
    }
}
