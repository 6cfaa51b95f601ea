package dev.spream.cli.lock;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.api.ConfiguredLocks;
import dev.spream.cli.command.ConfigArguments.Setting;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.output.ProgressLine;
import dev.spream.cli.service.StopSignals;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.lock.provisioning.BucketProvisioning.Provisioned;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates the tables and buckets of the locks. */
@Command(
        name = "provision",
        description = "Creates the tables and buckets of the locks and records the layout. An interrupted run is"
                + " continued by the next one; a run after completion restores missing buckets.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every bucket is there",
            "1:failure, or a signal stopped it",
            "2:usage error or invalid configuration"
        },
        footer = {
            "",
            "Every locking process must request the same buckets, levels and hash, or none. To change them, stop"
                    + " every such process first and add --recreate --yes; they cannot be changed while processes lock.",
            "",
            "Try: spream locks provision --url jdbc:postgresql://localhost/shop --strategy rows --buckets 1048576"
        })
final class LocksProvisionCommand extends Subcommand {
    @Mixin
    private final LocksArguments arguments = new LocksArguments();

    @Option(
            names = "--buckets",
            paramLabel = "N",
            description = "Number of buckets of each level. Default: as recorded, else 1048576 rows, or 2^60"
                    + " advisory locks.")
    private @Nullable Long buckets;

    @Option(
            names = "--levels",
            paramLabel = "N",
            description = "Maximum depth of lock targets. Default: as recorded, else 3 with rows, or 16 with"
                    + " advisory locks.")
    private @Nullable Integer levels;

    @Option(
            names = "--hash",
            paramLabel = "NAME",
            description = "Hash from ids to buckets: sha256 or fnv1a-32. Default: as recorded, else sha256.")
    private @Nullable String hash;

    @Option(
            names = "--chunk",
            paramLabel = "N",
            description = "Number of rows inserted per transaction. Default: 10000.")
    private @Nullable Integer chunk;

    @Option(
            names = "--recreate",
            description =
                    "Remove the existing buckets and the recorded layout, and start again. Refused while locks are"
                            + " held.")
    private boolean recreate;

    @Option(names = "--yes", description = "With --recreate: confirm that every process that locks here is stopped.")
    private boolean yes;

    @Override
    public Integer call() throws Exception {
        require(
                yes || !recreate,
                "a process that continues to lock the old buckets would exclude no other process: stop every process that"
                        + " locks here, and add --yes");
        try (ConfiguredLocks configured = arguments.open(
                new Setting("buckets", buckets),
                new Setting("levels", levels),
                new Setting("hash", hash),
                new Setting("chunk", chunk))) {
            return provision(configured.provisioning());
        }
    }

    private int provision(BucketProvisioning provisioning) {
        LocksArguments.requireUsable(provisioning);
        if (recreate) {
            provisioning.clear();
            report("provision: removed the existing buckets");
        }
        BucketProgress progress = new BucketProgress(new ProgressLine());
        Thread working = Thread.currentThread();
        StopSignals signals = StopSignals.install(working::interrupt, working::interrupt);
        try {
            Provisioned done = provisioning.provision(progress);
            progress.close();
            report(summary(done, progress));
            return ExitCode.OK;
        } catch (InterruptedException e) {
            progress.close();
            report("provision: stopped by a signal with %s; the next run continues there", progress);
            return ExitCode.SOFTWARE;
        } finally {
            progress.close();
            signals.close();
        }
    }

    private static String summary(Provisioned done, BucketProgress progress) {
        return done.rows() == 0
                ? "provision: %s; layout recorded, no buckets to create".formatted(LockNames.of(done.layout()))
                : String.format(
                        Locale.ROOT,
                        "provision: %s; %,d buckets exist, %,d of them created now%s",
                        LockNames.of(done.layout()),
                        done.rows(),
                        done.made(),
                        done.made() == 0 ? "" : progress.rate());
    }
}
