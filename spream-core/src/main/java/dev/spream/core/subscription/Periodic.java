package dev.spream.core.subscription;

import dev.spream.core.internal.Alarm;
import java.time.Duration;

/** Work that is done again and again, on a thread of its own, until it is stopped. */
final class Periodic implements TaskGroup.Task {
    private final Duration interval;
    private final TaskGroup.Task work;
    private final Alarm alarm;
    private volatile boolean stopped;

    Periodic(EngineTime time, Duration interval, TaskGroup.Task work) {
        this.alarm = new Alarm(time);
        this.interval = interval;
        this.work = work;
    }

    @Override
    public void run() throws Exception {
        while (true) {
            alarm.await(interval);
            if (stopped) {
                return;
            }
            work.run();
        }
    }

    /** Does the work now rather than at the end of the interval. */
    void hurry() {
        alarm.raise();
    }

    void stop() {
        stopped = true;
        alarm.raise();
    }
}
