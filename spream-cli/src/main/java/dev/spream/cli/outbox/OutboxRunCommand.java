package dev.spream.cli.outbox;

import dev.spream.cli.command.LongRunning;
import dev.spream.cli.command.Subcommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the outbox worker as a service. */
@Command(
        name = "run",
        description = "Sends the entries of an outbox as configured, until it is stopped.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:ended by a signal, and all started work is settled",
            "1:failure, or work was interrupted",
            "2:usage error or invalid configuration"
        },
        footer = {
            "",
            "Every key of the configuration is a flag too, as in --outbox.concurrency=32 or --http=8080, which"
                    + " serves /health, /ready and /metrics. A worker runs only where outbox.enabled is true.",
            "The first SIGINT or SIGTERM completes the work in flight and ends; the second interrupts it.",
            "",
            "Try: spream outbox run --url jdbc:postgresql://localhost/shop --sender=http"
                    + " --sender.http.url=http://localhost:9000/orders --outbox.enabled=true"
        })
final class OutboxRunCommand extends Subcommand implements LongRunning {
    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Override
    public Integer call() throws Exception {
        return new OutboxService(arguments.config()).run();
    }
}
