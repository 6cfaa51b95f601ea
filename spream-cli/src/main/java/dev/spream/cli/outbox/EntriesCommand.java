package dev.spream.cli.outbox;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.cli.command.Subcommand;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxOperations;
import picocli.CommandLine.Mixin;

/** A manual change of entries, with a reason for the audit. */
abstract class EntriesCommand extends Subcommand {
    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Mixin
    private final EntrySelector choice = new EntrySelector();

    @Mixin
    private final OperatorOptions by = new OperatorOptions();

    abstract OperatorResult change(OutboxOperations outbox, long id, OperatorAction act);

    @Override
    public final Integer call() {
        choice.requireClear();
        OperatorAction act = by.action();
        try (ConfiguredOutbox configured = arguments.open()) {
            OutboxOperations outbox = configured.operations();
            return choice.change(new OutboxChange(name(), outbox, id -> change(outbox, id, act), err()), outbox);
        }
    }
}
