package dev.spream.cli.subscription;

import dev.spream.api.config.SpreamConfig;
import dev.spream.cli.command.ConfigArguments;
import dev.spream.cli.command.ConfigArguments.Setting;
import dev.spream.cli.command.LongRunning;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.panel.ConfiguredPanels;
import dev.spream.cli.service.Operations;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the configured subscription as a service. */
@Command(
        name = "run",
        description = "Delivers the changes of a change stream to a sink, as configured.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:success, also when a signal ended it and all work was finished",
            "1:failure",
            "2:usage error or invalid configuration"
        },
        footer = {
            "",
            "Every key of the configuration is a flag too, as in --max-inflight=32, and a variable of the environment, as in"
                    + " SPREAM_CONFIG_MAX_INFLIGHT. A flag wins over a variable, a variable over the file. spream config"
                    + " --explain lists the keys.",
            "The first SIGINT or SIGTERM completes the work in flight and ends; the second interrupts it."
        })
public final class RunCommand extends Subcommand implements LongRunning {
    @Mixin
    private final ConfigArguments arguments = new ConfigArguments();

    @Mixin
    private final TransactionArguments transactionArguments = new TransactionArguments();

    @Override
    public Integer call() throws Exception {
        Optional<String> mode = transactionArguments
                .given()
                .map(given -> given.name().toLowerCase(Locale.ROOT).replace('_', '-'));
        SpreamConfig config = arguments.config(new Setting("transaction-mode", mode.orElse(null)));
        return new Service(
                        config,
                        name(),
                        Operations.address(config),
                        () -> ConfiguredPanels.of(config, port -> arguments.unmigrated(port, List.of())))
                .run();
    }
}
