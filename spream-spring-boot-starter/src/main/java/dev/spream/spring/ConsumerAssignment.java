package dev.spream.spring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The subscriptions of an application, and the consumer bean of each. A consumer is for the subscription that its
 * annotation names, or else that its bean is named after; one that is left is for the one subscription that is left. A
 * consumer without a configured subscription is one, configured by the defaults.
 */
final class ConsumerAssignment {
    private final Map<String, String> consumers = new LinkedHashMap<>(); // bean by subscription
    private final Set<String> subscriptions = new LinkedHashSet<>();
    private final List<String> problems = new ArrayList<>();

    private ConsumerAssignment() {}

    /** @param configured the subscriptions with properties; {@code withSink} those of them that name a plug-in as sink */
    static ConsumerAssignment of(SubscriptionBeans<?> beans, List<String> configured, List<String> withSink) {
        ConsumerAssignment assignment = new ConsumerAssignment();
        assignment.subscriptions.addAll(configured);
        List<String> left = new ArrayList<>();
        for (String bean : beans.names()) {
            Optional<String> annotated = beans.annotated(bean);
            RelaxedName.find(annotated.orElse(bean), configured)
                    .or(() -> annotated)
                    .ifPresentOrElse(name -> assignment.assign(bean, name), () -> left.add(bean));
        }
        assignment.assign(left, configured, withSink);
        return assignment;
    }

    private void assign(List<String> left, List<String> configured, List<String> withSink) {
        List<String> free = configured.stream()
                .filter(name -> !consumers.containsKey(name) && !withSink.contains(name))
                .toList();
        if (left.size() == 1 && free.size() == 1) {
            assign(left.getFirst(), free.getFirst());
        } else if (configured.isEmpty()) {
            left.forEach(bean -> assign(bean, bean));
        } else {
            left.forEach(bean -> problems.add(
                    "the consumer bean %s is for none of the subscriptions %s: annotate it with @SpreamSubscription, rename it, or configure spream.subscriptions.%s"
                            .formatted(bean, configured, bean)));
        }
    }

    private void assign(String bean, String subscription) {
        String name = RelaxedName.find(subscription, subscriptions).orElse(subscription);
        subscriptions.add(name);
        String other = consumers.putIfAbsent(name, bean);
        if (other != null) {
            problems.add(
                    "the subscription %s has two consumer beans, %s and %s: a change would be settled by one of them only; keep one, or configure a subscription for each"
                            .formatted(name, other, bean));
        }
    }

    /** Returns all subscriptions: the configured ones first. */
    List<String> subscriptions() {
        return List.copyOf(subscriptions);
    }

    Optional<String> consumer(String subscription) {
        return Optional.ofNullable(consumers.get(subscription));
    }

    List<String> problems() {
        return List.copyOf(problems);
    }
}
