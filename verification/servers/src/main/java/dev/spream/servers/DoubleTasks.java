package dev.spream.servers;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The tasks of the double, run one at a time in order. */
final class DoubleTasks implements AutoCloseable {
    private final ExecutorService worker =
            Executors.newSingleThreadExecutor(Thread.ofVirtual().factory());
    final AtomicLong ids = new AtomicLong();
    private final Map<Long, Map<String, Object>> known = new ConcurrentHashMap<>();
    final Set<String> refused = ConcurrentHashMap.newKeySet();
    private volatile Optional<Failing> failing = Optional.empty();
    volatile Duration time = Duration.ZERO;
    volatile boolean forgetful;

    private record Failing(long task, DoubleRefusal how) {}

    void fail(int after, String type, String code) {
        failing = Optional.of(new Failing(ids.get() + after, new DoubleRefusal(500, type, code)));
    }

    void checkDocuments(List<?> documents) {
        for (Object document : documents) {
            if (document instanceof Map<?, ?> members && refused.contains(members.get(DoubleIndex.PRIMARY_KEY))) {
                throw new DoubleRefusal(400, "max_fields_limit_exceeded");
            }
        }
    }

    synchronized long add(Runnable work) {
        long task = ids.getAndIncrement();
        status(task, "enqueued", Optional.empty());
        worker.execute(() -> run(task, work));
        return task;
    }

    private void run(long task, Runnable work) {
        status(task, "processing", Optional.empty());
        LockSupport.parkNanos(time.toNanos());
        try {
            Optional<Failing> wanted = failing.filter(one -> one.task() == task);
            if (wanted.isPresent()) {
                throw wanted.get().how();
            }
            work.run();
            status(task, "succeeded", Optional.empty());
        } catch (DoubleRefusal e) {
            status(task, "failed", Optional.of(e));
        }
    }

    private void status(long task, String status, Optional<DoubleRefusal> error) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("uid", task);
        members.put("status", status);
        error.ifPresent(refusal -> members.put(
                "error", Map.of("message", "as a test wants it", "code", refusal.code, "type", refusal.type)));
        known.put(task, members);
    }

    DoubleAnswer show(long task) {
        return Optional.ofNullable(known.get(task))
                .filter(any -> !forgetful)
                .map(DoubleAnswer::ok)
                .orElseGet(() -> DoubleAnswer.error(404, "invalid_request", "task_not_found"));
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }
}
