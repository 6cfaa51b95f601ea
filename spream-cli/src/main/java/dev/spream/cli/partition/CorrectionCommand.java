package dev.spream.cli.partition;

import dev.spream.api.StreamTime;
import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.command.UsageFailure;
import dev.spream.cli.output.PlainText;
import dev.spream.cli.storage.OpenStorage;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.CorrectionPlan;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** A command that corrects a stored subscription, or shows the correction without it. */
abstract class CorrectionCommand extends Subcommand {
    private static final Logger log = LoggerFactory.getLogger(CorrectionCommand.class);

    @Mixin
    private final SubscriptionArguments arguments = new SubscriptionArguments();

    @Mixin
    private final CorrectionOptions options = new CorrectionOptions();

    /** Returns the requested correction of that subscription. */
    abstract Correction correction(StoredSubscription stored);

    @Override
    public final Integer call() throws Exception {
        options.requireConfirmed();
        try (OpenStorage open = arguments.open()) {
            StoredSubscription stored = StoredSubscription.read(open);
            Correction correction = correction(stored);
            if (options.isDryRun()) {
                CorrectionPlan plan = planned(
                        correction.plan(stored.subscription(), stored.lineage(), stored.proofs(), stored.workers()));
                print(CorrectionPrinter.lines(plan));
                report("%s: %s; dry run, nothing was written", name(), change(plan));
                return ExitCode.OK;
            }
            CorrectionAct act = options.act();
            CorrectionPlan plan = planned(open.storage().correct(correction, act));
            print(CorrectionPrinter.lines(plan));
            String line = "%s; by %s, because: %s"
                    .formatted(change(plan), PlainText.of(act.actor()), PlainText.of(act.reason()));
            log.info("[{}] corrected: {}", stored.subscription().streamName(), line);
            report("%s: %s", name(), plan.changesNothing() ? change(plan) : line);
            return ExitCode.OK;
        }
    }

    private static CorrectionPlan planned(CorrectionOutcome outcome) {
        return switch (outcome) {
            case CorrectionOutcome.Planned planned -> planned.plan();
            case CorrectionOutcome.Refused refused -> throw new CommandFailure(refused.reason());
        };
    }

    private static String change(CorrectionPlan plan) {
        return plan.changesNothing() ? "the subscription is as requested; nothing was changed" : plan.change();
    }

    /**
     * Returns a point in time that the storage's clock has passed.
     *
     * @throws UsageFailure if it is missing, or in the future
     */
    static Instant past(String option, @Nullable StreamTime time, StoredSubscription stored) {
        Instant at = time(option, time, stored);
        if (at.isAfter(stored.now())) {
            throw new UsageFailure(
                    "%s %s is in the future: the storage's time is %s".formatted(option, at, stored.now()));
        }
        return at;
    }

    static Instant time(String option, @Nullable StreamTime time, StoredSubscription stored) {
        if (time == null) {
            throw new UsageFailure("%s is missing".formatted(option));
        }
        return time.at(stored.now());
    }

    /** Refuses a start whose changes the stream has dropped, if its database is given and answers. */
    final Instant retained(Instant start, StoredSubscription stored) {
        arguments
                .retention(stored, line -> report(name() + ": " + line))
                .ifPresent(retention -> requireRetained(start, retention, stored));
        return start;
    }

    /**
     * Returns the answer of the stream of that subscription.
     *
     * @throws UsageFailure if its database is not given
     */
    final <T> T withSource(StoredSubscription stored, Function<SpannerChangeStreamSource.Builder, T> question) {
        return arguments.withSource(stored, question);
    }

    /** Returns the time of a snapshot as of now; empty if the database of the stream is not given. */
    final Optional<Instant> snapshotTime(StoredSubscription stored) {
        return arguments.stream()
                .database()
                .map(database -> withSource(stored, builder -> {
                    try (SpannerChangeStreamSource source = builder.build()) {
                        return source.snapshotTime();
                    }
                }));
    }

    private static void requireRetained(Instant start, Duration retention, StoredSubscription stored) {
        Instant first = stored.now().minus(retention);
        if (start.isBefore(first)) {
            throw new UsageFailure("a start at %s is before the stream's retention period, which begins at %s"
                    .formatted(start, first));
        }
    }
}
