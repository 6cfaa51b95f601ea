package dev.spream.cli.http;

import dev.spream.cli.output.Members;
import java.time.Instant;
import java.time.InstantSource;

/** The last known state of a panel as a response. Safe for use by many threads. */
final class PanelState {
    /** A read may take up to a twentieth of the time. */
    private static final int PAUSE = 20;

    private final Panel panel;
    private final LatestRead<Members> reads;
    private final InstantSource clock;

    PanelState(Panel panel, InstantSource clock) {
        this.panel = panel;
        this.reads = new LatestRead<>("the database", panel::read, panel.interval(), PAUSE, clock);
        this.clock = clock;
    }

    Answer answer() throws InterruptedException {
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

    /** Lets the next request read again, since a command has changed the state. */
    void expire() {
        reads.expire();
    }
}
