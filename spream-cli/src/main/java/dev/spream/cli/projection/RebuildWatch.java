package dev.spream.cli.projection;

import dev.spream.cli.output.PlainText;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.RebuildProgress;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ExitCode;

/** Watches a version until it has caught up: on a rewritten line, or with periodic lines. */
record RebuildWatch(
        ProjectionOperations projections, String projection, int version, PrintWriter err, boolean watched) {
    private static final int LINE_EVERY = 10;

    /** Returns the exit code: a failure if the build stops before it has caught up. */
    int run() {
        String state = "%s@%d".formatted(projection, version);
        try {
            for (int second = 0; ; second++) {
                Optional<RebuildProgress> progress = progress();
                if (progress.isEmpty()) {
                    return end("%s is live now or was dropped".formatted(state), ExitCode.SOFTWARE);
                }
                String line = "%s: %s".formatted(state, ProjectionBuild.text(progress.get()));
                if (progress.get().isCaughtUp() && progress.get().version().prepared()) {
                    return end(
                            line
                                    + (progress.get().parked() == 0
                                            ? "; spream projection cutover %s makes it live".formatted(projection)
                                            : "; see spream projection show %s".formatted(state)),
                            ExitCode.OK);
                }
                Optional<ProjectionState> stopped = stopped(state);
                if (stopped.isPresent()) {
                    return end(
                            "%s; it %s%s"
                                    .formatted(
                                            line,
                                            stopped.get().status() == ProjectionStatus.FAILED
                                                    ? "has failed"
                                                    : "is paused",
                                            stopped.get()
                                                    .lastError()
                                                    .map(error -> ": " + PlainText.of(error))
                                                    .orElse("")),
                            ExitCode.SOFTWARE);
                }
                show(line, second);
                new CountDownLatch(1).await(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return end("%s continues without being watched".formatted(state), ExitCode.OK);
        }
    }

    private Optional<RebuildProgress> progress() {
        return projections.rebuilds().progress(projection).stream()
                .filter(known -> known.version().version() == version)
                .findFirst();
    }

    private Optional<ProjectionState> stopped(String state) {
        return projections
                .show(state)
                .map(details -> details.state())
                .filter(known ->
                        known.status() == ProjectionStatus.FAILED || known.status() == ProjectionStatus.PAUSED);
    }

    private void show(String line, int second) {
        if (watched) {
            err.print("\r" + line + "\033[K");
            err.flush();
        } else if (second % LINE_EVERY == 0) {
            err.println(line);
        }
    }

    private int end(String line, int exitCode) {
        err.println((watched ? "\r\033[K" : "") + line);
        return exitCode;
    }
}
