package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.subscription.SimulatedProcess;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionRole;
import dev.spream.projection.runner.ProjectionSimulation.Event;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.ObjLongConsumer;

/** A simulated operator that builds versions of a projection, makes them live, rolls back, and drops them, at random. */
final class SimulatedRebuilds {
    private static final Act ACT = new Act("operator", "a simulated rebuild");
    private static final int MOST = 4;
    private static final long TIMEOUT = Duration.ofSeconds(2).toNanos();

    private final String name;
    private final SimulatedProcess operator;
    private final ProjectionRebuilds rebuilds;
    private final SimulatedVersions versions;
    private final SplittableRandom random;
    private final ObjLongConsumer<Event> tally;

    SimulatedRebuilds(
            String name,
            SimulatedProcess operator,
            ProjectionRebuilds rebuilds,
            SimulatedVersions versions,
            SplittableRandom random,
            ObjLongConsumer<Event> tally) {
        this.name = name;
        this.operator = operator;
        this.rebuilds = rebuilds;
        this.versions = versions;
        this.random = random;
        this.tally = tally;
    }

    /** Does something about once in that time, as long as there is trouble. */
    void act(BooleanSupplier troubled, Duration every) {
        while (troubled.getAsBoolean()) {
            operator.sleepUninterruptibly(random.nextLong(2 * every.toNanos()));
            try {
                actOnce();
            } catch (IllegalStateException e) {
                assertThat(e).hasMessageContaining("nothing was changed");
                tally.accept(Event.REFUSED, 1);
            }
        }
    }

    private void actOnce() {
        List<ProjectionVersion> others =
                versions.all().stream().filter(version -> !version.isLive()).toList();
        if (others.isEmpty() || (others.size() < MOST && random.nextInt(4) == 0)) {
            versions.begun(rebuilds.rebuild(name, OptionalInt.of(random.nextInt(1, 3)), 0, ACT));
            tally.accept(Event.REBUILT, 1);
            return;
        }
        ProjectionVersion other = others.get(random.nextInt(others.size()));
        if (random.nextInt(6) == 0) {
            rebuilds.drop(name, other.version(), ACT);
            tally.accept(Event.DROPPED, 1);
        } else {
            cutOver(other);
        }
    }

    private void cutOver(ProjectionVersion other) {
        Set<CutoverReport.Loss> accepted = EnumSet.noneOf(CutoverReport.Loss.class);
        if (random.nextInt(3) == 0) {
            accepted.add(CutoverReport.Loss.EFFECTS);
        }
        if (random.nextInt(3) > 0) {
            accepted.add(CutoverReport.Loss.PARKED);
        }
        Duration timeout = Duration.ofNanos(random.nextLong(TIMEOUT));
        CutoverReport made = rebuilds.cutOver(name, other.version(), timeout, accepted, ACT);
        tally.accept(other.role() == VersionRole.RETIRED ? Event.ROLLED_BACK : Event.CUT_OVER, 1);
        CutoverReport.Losses losses = made.losses();
        assertThat(losses.withoutEffects() > 0 && !accepted.contains(CutoverReport.Loss.EFFECTS))
                .as("lost side effects that were not accepted")
                .isFalse();
        assertThat(losses.parked() + losses.skipped() > 0 && !accepted.contains(CutoverReport.Loss.PARKED))
                .as("lost parked events that were not accepted")
                .isFalse();
        if (losses.withoutEffects() > 0) {
            tally.accept(Event.EFFECTS_DROPPED, 1);
            versions.droppedEffects(made);
        }
    }
}
