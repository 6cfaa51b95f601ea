package dev.spream.cli.http;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is moved. Safe for use by many threads. */
final class DrivenClock implements InstantSource {
    private Instant now = Instant.parse("2026-01-01T11:00:00Z"); // guarded by this

    synchronized void advance(Duration by) {
        now = now.plus(by);
    }

    @Override
    public synchronized Instant instant() {
        return now;
    }
}
