package dev.spream.cli.outbox;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.outbox.OutboxOperations;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The entries to change: given ones, or all that match a filter. */
final class EntrySelector {
    @Mixin
    private final EntryArguments entries = new EntryArguments();

    @Mixin
    private final OutboxFilterArguments filter = new OutboxFilterArguments();

    @Option(names = "--all", description = "All entries that match the filter.")
    private boolean all;

    @Option(names = "--yes", description = "With --all: confirm the operation.")
    private boolean yes;

    void requireClear() {
        entries.requireIds();
        require(all != entries.isGiven(), "entries are missing: add ids, --key, or --all with a filter");
        require(
                all == filter.isGiven(),
                all
                        ? "--all needs a filter: --status, --parked, --ordering-key or --reason"
                        : "a filter needs --all: add --all, or remove the filter");
        require(
                yes || !all,
                "every entry that matches the filter will be changed: review them with outbox list, and add"
                        + " --yes");
    }

    int change(OutboxChange change, OutboxOperations outbox) {
        return all ? change.all(filter) : change.entries(entries.ids(outbox));
    }
}
