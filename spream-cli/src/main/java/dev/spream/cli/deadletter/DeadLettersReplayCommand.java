package dev.spream.cli.deadletter;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.api.ConfiguredDeadLetters;
import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.command.ConfigArguments;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.output.ProgressLine;
import dev.spream.cli.output.Terminal;
import dev.spream.cli.panel.RemainingLetters;
import dev.spream.cli.panel.ReplayReport;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.ReplayResult;
import dev.spream.core.record.RecordIdentity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Delivers dead letters to the configured sink again. */
@Command(
        name = "replay",
        description = "Delivers dead letters to the configured sink again, in commit order, and releases the keys that"
                + " have none left.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every selected letter was replayed",
            "1:failure, or some were refused, overtaken or skipped",
            "2:usage error or invalid configuration"
        },
        footer = {
            "",
            "A dead letter that fails again stays open, and so do later ones of its keys. Replay when the"
                    + " subscription has caught up."
        })
final class DeadLettersReplayCommand extends Subcommand {
    @Mixin
    private final ConfigArguments arguments = new ConfigArguments();

    @Parameters(
            paramLabel = "IDENTITY",
            arity = "0..*",
            description = "Dead letters to replay, as list shows them; the first one of each key must come first.")
    private List<RecordIdentity> identities = new ArrayList<>();

    @Mixin
    private final KeyArguments keys = new KeyArguments();

    @Option(names = "--all", description = "All dead letters.")
    private boolean all;

    @Option(
            names = "--even-if-overtaken",
            description =
                    "Also dead letters overtaken by a later change of their key; a sink that writes each change as"
                            + " it comes would undo that change.")
    private boolean evenIfOvertaken;

    @Option(names = "--dry-run", description = "Print what would be delivered, and deliver nothing.")
    private boolean dryRun;

    @Override
    public Integer call() throws Exception {
        requireOneChoice();
        try (ConfiguredDeadLetters configured = ConfiguredDeadLetters.open(arguments.config())) {
            DeadLetterStore store = dryRun ? new DryRunStore(configured.letters()) : configured.letters();
            Consumer consumer =
                    dryRun ? (change, delivery) -> report("would replay " + change.identity()) : configured.consumer();
            ProgressLine progress = new ProgressLine(System.err, true, System::nanoTime);
            AtomicInteger replayed = new AtomicInteger();
            DeadLetterReplay replay = DeadLetterReplay.of(store, consumer).onReplayed(letter -> {
                int count = replayed.incrementAndGet();
                if (!dryRun && Terminal.watched()) {
                    progress.show(
                            () -> String.format(Locale.ROOT, "replayed %d, at %s", count, letter.commitTimestamp()));
                }
            });
            ReplayResult result = result(store, evenIfOvertaken ? replay.evenIfOvertaken() : replay);
            progress.end();
            ReplayReport report = new ReplayReport(result);
            report.problems().forEach(this::report);
            report(
                    "replay: %s%s; %s",
                    dryRun ? "nothing was done; would be: " : "", report, RemainingLetters.of(store));
            return report.isComplete() ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }

    private void requireOneChoice() {
        long choices = Stream.of(all, keys.isGiven(), !identities.isEmpty())
                .filter(given -> given)
                .count();
        require(choices == 1, "letters are missing: add identities, --key or --all");
        require(!keys.isGiven() || keys.hasKey(), "--table needs --key: a replay selects one key, some letters or all");
    }

    private ReplayResult result(DeadLetterStore store, DeadLetterReplay replay) throws Exception {
        if (all) {
            return replay.all();
        }
        if (keys.hasKey()) {
            return replay.key(key(store));
        }
        requireOpen(store);
        return replay.letters(Set.copyOf(identities));
    }

    private RecordKey key(DeadLetterStore store) throws Exception {
        Set<RecordKey> known = new HashSet<>(store.parkedKeys());
        store.openLetters().forEach(letter -> known.addAll(letter.keys()));
        return keys.find(known)
                .orElseThrow(
                        () -> new CommandFailure("no letter of %s is open, and no such key is parked".formatted(keys)));
    }

    private void requireOpen(DeadLetterStore store) throws Exception {
        Set<RecordIdentity> missing = new HashSet<>(identities);
        store.read(missing).forEach(letter -> missing.remove(letter.change().identity()));
        if (!missing.isEmpty()) {
            throw new CommandFailure("no letter of %s is open; nothing was replayed"
                    .formatted(missing.stream()
                            .sorted()
                            .map(RecordIdentity::toString)
                            .collect(Collectors.joining(", "))));
        }
    }
}
