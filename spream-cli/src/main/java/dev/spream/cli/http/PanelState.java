package dev.spream.cli.http;

import dev.spream.cli.http.PanelCommand.Outcome;
import dev.spream.cli.output.Members;
import dev.spream.core.record.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;

/** The last known state of a panel as a response. Safe for use by many threads. */
final class PanelState {
    /** A read may take up to a twentieth of the time. */
    private static final int PAUSE = 20;

    private static final Duration PAUSE_IN_COMMAND = Duration.ofSeconds(1);

    private final Panel panel;
    private final LatestRead<Members> reads;
    private final InstantSource clock;
    private final AtomicInteger commands = new AtomicInteger();

    PanelState(Panel panel, InstantSource clock) {
        this.panel = panel;
        this.reads = new LatestRead<>("the database", panel::read, panel.interval(), PAUSE, clock);
        this.clock = clock;
    }

    Answer answer() throws InterruptedException {
        if (commands.get() > 0) {
            reads.expire(PAUSE_IN_COMMAND);
        }
        LatestRead.Known<Members> known = reads.look();
        Instant now = clock.instant();
        return Answer.json(new Members()
                .put("panel", panel.name())
                .put("now", now)
                .put("read_at", known.readAt())
                .put("read_age_seconds", known.readAt().map(read -> Observed.behind(read, now)))
                .put("error", known.error())
                .put("state", known.value())
                .toString());
    }

    /** Runs a command of the panel. Requests show what it has done so far, and, after it, a state that is read anew. */
    Outcome run(PanelCommand command, JsonObject arguments, String actor) throws Exception {
        commands.incrementAndGet();
        try {
            return command.run(arguments, actor);
        } finally {
            commands.decrementAndGet();
            reads.expire();
        }
    }
}
