package dev.spream.benchmarks.outbox;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * db-scheduler with one-time tasks, with what its README recommends for high throughput: polling by lock-and-fetch of up to
 * four tasks a thread, again when there is less than one a thread, and immediate execution of what is scheduled in the process
 * itself.
 */
final class DbSchedulerQueue implements WorkQueue {
    private static final TaskDescriptor<Long> TASK = TaskDescriptor.of("send", Long.class);
    private static final String TABLE = """
            CREATE TABLE IF NOT EXISTS scheduled_tasks (
                task_name text NOT NULL,
                task_instance text NOT NULL,
                task_data bytea,
                execution_time timestamptz NOT NULL,
                picked boolean NOT NULL,
                picked_by text,
                last_success timestamptz,
                last_failure timestamptz,
                consecutive_failures int,
                last_heartbeat timestamptz,
                version bigint NOT NULL,
                priority smallint,
                PRIMARY KEY (task_name, task_instance));
            CREATE INDEX IF NOT EXISTS execution_time_idx ON scheduled_tasks (execution_time);
            CREATE INDEX IF NOT EXISTS last_heartbeat_idx ON scheduled_tasks (last_heartbeat)
            """;

    private final HikariDataSource database;
    private final int threads;
    private final SchedulerClient client;
    private final AtomicLong loaded = new AtomicLong();
    private @Nullable Scheduler scheduler;

    DbSchedulerQueue(HikariDataSource database, int threads) throws SQLException {
        this.database = database;
        this.threads = threads;
        Sql.run(database, TABLE);
        this.client = SchedulerClient.Builder.create(database).build();
    }

    @Override
    public String label() {
        return "db-scheduler";
    }

    @Override
    public void load(int entries) {
        List<TaskInstance<?>> batch = new ArrayList<>();
        for (int i = 0; i < entries; i++) {
            batch.add(TASK.instance("l" + loaded.incrementAndGet()).data(-1L).build());
        }
        client.scheduleBatch(batch, Instant.now());
    }

    @Override
    public void enqueue(long number) {
        Scheduler running = scheduler;
        TaskInstance<Long> task = TASK.instance("n" + number).data(number).build();
        (running == null ? client : running).scheduleIfNotExists(task, Instant.now());
    }

    @Override
    public void start(Handler handler) {
        Scheduler started = Scheduler.create(
                        database, Tasks.oneTime(TASK).execute((task, context) -> handler.handle(task.getData())))
                .threads(threads)
                .pollUsingLockAndFetch(1.0, 4.0)
                .pollingInterval(Duration.ofMillis(500))
                .enableImmediateExecution()
                .build();
        started.start();
        scheduler = started;
    }

    @Override
    public void stop() {
        Scheduler running = scheduler;
        if (running != null) {
            running.stop();
            scheduler = null;
        }
    }

    @Override
    public long left() throws SQLException {
        return Sql.count(database, "scheduled_tasks");
    }
}
