package dev.spream.cli;

import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionRole;
import org.jspecify.annotations.Nullable;

/** Which version a rollback goes to. */
final class RollbackTarget {
    private RollbackTarget() {}

    /** The one that somebody asked for, or the one that was live before: to repeat a rollback does not take it back. */
    static int choose(ProjectionRebuilds rebuilds, String projection, @Nullable Integer asked) {
        int chosen = ProjectionBuild.choose(rebuilds, projection, asked, VersionRole.RETIRED);
        if (asked == null && isLaterThanLive(rebuilds, projection, chosen)) {
            throw new CommandFailure(
                    "%s was rolled back from version %d already, which is the only other one that was live; nothing was changed: to make it live again all the same, say --version %d"
                            .formatted(projection, chosen, chosen));
        }
        return chosen;
    }

    private static boolean isLaterThanLive(ProjectionRebuilds rebuilds, String projection, int version) {
        return rebuilds.versions(projection).stream()
                .filter(ProjectionVersion::isLive)
                .anyMatch(live -> version > live.version());
    }
}
