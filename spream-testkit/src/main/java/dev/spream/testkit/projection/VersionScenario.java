package dev.spream.testkit.projection;

import static dev.spream.testkit.projection.ProjectionScenario.ACT;
import static dev.spream.testkit.projection.ProjectionScenario.LEASE;
import static dev.spream.testkit.projection.ProjectionScenario.NAME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.VersionRole;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/** A projection with versions of one segment each, for the tests of the contracts. */
final class VersionScenario<T> {
    private final ProjectionScenario<T> given;

    VersionScenario(ProjectionScenario<T> given) {
        this.given = given;
    }

    ProjectionRebuilds rebuilds() {
        return given.operations().rebuilds();
    }

    ProjectionCode code(int revision) {
        return new ProjectionCode(revision, given.fixture().tables(), true);
    }

    /** Registers a live version with one segment, which Ann holds. */
    Fence live() {
        given.store().register(NAME, 1, code(1));
        return hold(1);
    }

    /** Begins another version, without tables. */
    ProjectionVersion begun(long from) {
        int number = rebuilds().rebuild(NAME, OptionalInt.empty(), from, ACT);
        return version(number);
    }

    /** Creates another version with its tables, whose segment Ann holds. */
    Fence candidate() {
        ProjectionVersion version = begun(0);
        prepare(version);
        return hold(version.version());
    }

    void prepare(ProjectionVersion version) {
        try {
            assertThat(given.store().prepare(version, code(version.revision()), given.fixture()::create))
                    .isTrue();
        } catch (Exception e) {
            throw new AssertionError("the version was not prepared", e);
        }
    }

    /** Returns the fence of the segment of a version, which Ann holds from now on. */
    Fence hold(int version) {
        String state = ProjectionVersion.stateName(NAME, version);
        List<SegmentLease> held = given.store()
                .holdSegments(state, ProjectionScenario.ANN, Set.of(), LEASE)
                .held();
        assertThat(held).as("segments of %s", state).hasSize(1);
        return new Fence.Segment(
                state, ProjectionScenario.ANN, 0, held.getFirst().epoch());
    }

    ProjectionVersion version(int number) {
        return given.store().versions(NAME).stream()
                .filter(version -> version.version() == number)
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no version " + number));
    }

    Map<Integer, VersionRole> roles() {
        Map<Integer, VersionRole> roles = new TreeMap<>();
        given.store().versions(NAME).forEach(version -> roles.put(version.version(), version.role()));
        return roles;
    }

    ProjectionState state(int version) {
        return given.store().state(ProjectionVersion.stateName(NAME, version)).orElseThrow();
    }

    /** Returns a row of the read model of the version with that fence. */
    long row(Fence fence, String key) {
        long[] row = new long[1];
        boolean applied = given.run(fence, Set.of(), (transaction, states) -> {
            row[0] = given.fixture().read(transaction, key);
            return ProjectionScenario.NOTHING;
        });
        assertThat(applied).as("the fence holds").isTrue();
        return row[0];
    }

    /** Moves a segment to the given position. */
    void move(Fence fence, long position) {
        assertThat(given.apply(fence, OptionalLong.of(position)))
                .as("the fence holds")
                .isTrue();
    }
}
