package dev.spream.cli.outbox;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.api.tracing.OutboxTracing;
import dev.spream.cli.http.OutboxEndpoints;
import dev.spream.cli.http.PageParts;
import dev.spream.cli.output.StatusLine;
import dev.spream.cli.output.Terminal;
import dev.spream.cli.output.TimedLine;
import dev.spream.cli.panel.Opening;
import dev.spream.cli.panel.OutboxPanel;
import dev.spream.cli.service.Operations;
import dev.spream.cli.service.StopSignals;
import dev.spream.cli.service.Tracing;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.worker.OutboxListener;
import dev.spream.outbox.worker.OutboxWorker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import picocli.CommandLine.ExitCode;

/** A run of an outbox worker, until a signal or a failure. */
final class OutboxService {
    private static final String UNNAMED = "outbox";

    private final SpreamConfig config;
    private final long startNanos = System.nanoTime();
    private final OutboxTally tally = new OutboxTally();
    private final StatusLine status = new StatusLine(System.err, () -> tally.line(seconds()));
    private volatile boolean cutShort;

    OutboxService(SpreamConfig config) {
        this.config = config;
    }

    int run() throws Exception {
        try (ConfiguredOutbox configured = ConfiguredOutbox.open(config)) {
            Opening<OutboxOperations> outbox = new Opening<>(configured::operations);
            try (Operations<OutboxEndpoints> operations = new Operations<>(
                    Operations.address(config), where -> new OutboxEndpoints(where, name(), parts(outbox)))) {
                OutboxWorker worker = worker(configured, operations);
                if (operations.endpoints().isPresent()) {
                    outbox.get(); // on this thread, to which the configured outbox is confined
                }
                return operations.show(() -> run(configured, worker, operations, outbox));
            }
        } finally {
            status.end();
        }
    }

    private PageParts parts(Opening<OutboxOperations> outbox) {
        return new PageParts(
                List.of(new OutboxPanel(outbox, () -> Optional.of(tally.members()))), Operations.token(config));
    }

    private OutboxWorker worker(ConfiguredOutbox configured, Operations<OutboxEndpoints> operations) {
        List<OutboxListener> listeners = new ArrayList<>(List.of(tally));
        operations.endpoints().ifPresent(shown -> listeners.addAll(shown.listeners()));
        Optional<OutboxTracing> tracing =
                Tracing.ofOutbox(config.raw(OutboxSenderProvider.PORT.key()).orElse(UNNAMED));
        tracing.ifPresent(listeners::add);
        return tracing.isPresent()
                ? configured.worker(listeners, tracing.get()::around)
                : configured.worker(listeners, UnaryOperator.identity());
    }

    @SuppressWarnings("try") // sampling only has to be closed
    private int run(
            ConfiguredOutbox configured,
            OutboxWorker worker,
            Operations<OutboxEndpoints> operations,
            Opening<OutboxOperations> outbox)
            throws Exception {
        StopSignals signals = StopSignals.install(() -> drain(configured, worker, operations), worker::close);
        try (OutboxSampling sampling = OutboxSampling.start(outbox, operations.endpoints())) {
            if (Terminal.watched()) {
                status.show();
            }
            status.printLine("outbox: %s runs".formatted(worker.owner().name()));
            operations.endpoints().ifPresent(OutboxEndpoints::running);
            worker.run();
            return finish(signals.receivedTwice());
        } finally {
            signals.close();
        }
    }

    private void drain(ConfiguredOutbox configured, OutboxWorker worker, Operations<OutboxEndpoints> operations) {
        operations.draining();
        cutShort = !worker.shutdown(configured.shutdownTimeout());
    }

    private int finish(boolean interrupted) {
        status.end();
        System.err.println(TimedLine.of(String.format(
                Locale.ROOT,
                "outbox: %s in %.1f s; ended by %s",
                tally,
                seconds(),
                interrupted
                        ? "a second signal, with work interrupted"
                        : cutShort ? "a signal, with work interrupted at its time limit" : "a signal")));
        return interrupted || cutShort ? ExitCode.SOFTWARE : ExitCode.OK;
    }

    private double seconds() {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    /** Returns the name of the table, if it is not the default. */
    private String name() {
        return config.raw(OutboxStoreProvider.PORT.key())
                .flatMap(outbox -> config.raw("outbox.%s.table".formatted(outbox)))
                .orElse(UNNAMED);
    }
}
