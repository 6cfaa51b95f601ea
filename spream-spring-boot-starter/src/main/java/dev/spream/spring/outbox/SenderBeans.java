package dev.spream.spring.outbox;

import dev.spream.outbox.OutboxSender;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.ListableBeanFactory;

/** The sender beans of an application, by destination. */
public record SenderBeans(Map<String, OutboxSender> byDestination) {

    /**
     * Finds the beans.
     *
     * @throws IllegalStateException if two have the same destination
     */
    public static SenderBeans of(ListableBeanFactory beans) {
        Map<String, List<String>> names = new TreeMap<>();
        for (String name : beans.getBeanNamesForType(OutboxSender.class)) {
            OutboxDestination destination = beans.findAnnotationOnBean(name, OutboxDestination.class);
            names.computeIfAbsent(destination == null ? "" : destination.value(), any -> new ArrayList<>())
                    .add(name);
        }
        Map<String, OutboxSender> senders = new TreeMap<>();
        names.forEach((destination, of) -> {
            if (of.size() > 1) {
                throw new IllegalStateException(
                        "the sender beans %s are for %s; annotate all but one with @OutboxDestination, each with another"
                                .formatted(of, destination.isEmpty() ? "entries without a destination" : destination));
            }
            senders.put(destination, beans.getBean(of.getFirst(), OutboxSender.class));
        });
        return new SenderBeans(senders);
    }
}
