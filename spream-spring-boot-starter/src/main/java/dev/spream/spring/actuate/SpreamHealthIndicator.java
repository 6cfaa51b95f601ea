package dev.spream.spring.actuate;

import static java.util.Objects.requireNonNull;

import dev.spream.core.subscription.PartitionProgress;
import dev.spream.spring.SpreamSubscriptions;
import dev.spream.spring.SubscriptionStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * The health of the subscriptions, as the component {@code spream}: DOWN if one has failed or makes no progress,
 * OUT_OF_SERVICE while one starts or drains, else UP. Details have no payloads and no secrets. Nothing is asked of the
 * storage.
 */
public final class SpreamHealthIndicator extends AbstractHealthIndicator {
    private final SpreamSubscriptions subscriptions;

    public SpreamHealthIndicator(SpreamSubscriptions subscriptions) {
        super("the health of the subscriptions could not be read");
        this.subscriptions = requireNonNull(subscriptions, "subscriptions");
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        List<SubscriptionStatus> all = subscriptions.statuses();
        if (all.stream().anyMatch(status -> status.problem().isPresent())) {
            health.down();
        } else if (all.stream().anyMatch(SpreamHealthIndicator::isBetween)) {
            health.outOfService();
        } else {
            health.up();
        }
        all.forEach(status -> health.withDetail(status.name(), details(status)));
    }

    private static boolean isBetween(SubscriptionStatus status) {
        return switch (status.phase()) {
            case STARTING, DRAINING -> true;
            case STOPPED, RUNNING, COMPLETED, FAILED -> false;
        };
    }

    private static Map<String, Object> details(SubscriptionStatus status) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("phase", status.phase());
        status.problem().ifPresent(problem -> details.put("problem", problem));
        details.put("partitions", status.held().size());
        details.put(
                "inflight",
                status.held().stream().mapToInt(PartitionProgress::inflight).sum());
        status.lowWatermark().ifPresent(watermark -> details.put("lowWatermark", watermark));
        return details;
    }
}
