package dev.spream.browser;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An answer as a process might give it, in the members of {@code /api/subscription}. */
final class SampleAnswer {
    static final String WORKER = "worker-1";

    private final Instant now = Instant.now();
    private final Map<String, @Nullable Object> members = new LinkedHashMap<>();
    private final List<Map<String, @Nullable Object>> partitions = new ArrayList<>();

    SampleAnswer() {
        with("stream", "OrdersStream");
        with("subscription", "orders");
        with("worker", WORKER);
        with("phase", "running");
        with("now", now.toString());
        with("start", now.minusSeconds(600).toString());
        with("completed", false);
        with("workers", List.of(Map.of("worker", WORKER, "held", 1, "capacity", 10, "alive", true)));
        with("partitions", partitions);
        with("partitions_left_out", 0);
    }

    SampleAnswer with(String name, @Nullable Object value) {
        members.put(name, value);
        return this;
    }

    SampleAnswer running(String token, String owner, String... parents) {
        Map<String, @Nullable Object> partition = partition(token, "RUNNING", 60, parents);
        partition.put("owner", owner);
        partition.put("owner_alive", true);
        partition.put("lag_seconds", 1.5);
        return this;
    }

    SampleAnswer finished(String token, long createdSecondsAgo, String... parents) {
        Map<String, @Nullable Object> partition = partition(token, "FINISHED", createdSecondsAgo, parents);
        partition.put("end_kind", "CHILD_PARTITIONS");
        partition.put("finished_at", now.minusSeconds(createdSecondsAgo / 2).toString());
        return this;
    }

    private Map<String, @Nullable Object> partition(
            String token, String state, long createdSecondsAgo, String... parents) {
        Map<String, @Nullable Object> partition = new LinkedHashMap<>();
        partition.put("token", token);
        partition.put("parents", List.of(parents));
        partition.put("state", state);
        partition.put("watermark", now.minusSeconds(1).toString());
        partition.put("inflight", 0);
        partition.put("children", List.of());
        partition.put("gaps", List.of());
        partition.put("created_at", now.minusSeconds(createdSecondsAgo).toString());
        partition.put("running_at", now.minusSeconds(createdSecondsAgo).toString());
        partitions.add(partition);
        return partition;
    }

    /** As it is now; what is said afterwards does not change it. */
    Map<String, @Nullable Object> answer() {
        return new LinkedHashMap<>(members);
    }
}
