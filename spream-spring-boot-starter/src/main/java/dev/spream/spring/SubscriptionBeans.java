package dev.spream.spring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;

/** The beans of one type, by name, with the subscriptions that {@link SpreamSubscription} names for them. */
final class SubscriptionBeans<T> {
    private final ConfigurableListableBeanFactory beans;
    private final Class<T> type;
    private final Map<String, Optional<String>> named = new LinkedHashMap<>(); // by name of the bean

    private SubscriptionBeans(ConfigurableListableBeanFactory beans, Class<T> type) {
        this.beans = beans;
        this.type = type;
    }

    static <T> SubscriptionBeans<T> of(ConfigurableListableBeanFactory beans, Class<T> type) {
        SubscriptionBeans<T> found = new SubscriptionBeans<>(beans, type);
        for (String bean : beans.getBeanNamesForType(type)) {
            if (!ScopedProxyUtils.isScopedTarget(bean)) {
                found.named.put(
                        bean,
                        Optional.ofNullable(beans.findAnnotationOnBean(bean, SpreamSubscription.class))
                                .map(SpreamSubscription::value));
            }
        }
        return found;
    }

    List<String> names() {
        return List.copyOf(named.keySet());
    }

    T bean(String name) {
        return beans.getBean(name, type);
    }

    /** Returns the subscription that the annotation of the bean names. */
    Optional<String> annotated(String bean) {
        return named.getOrDefault(bean, Optional.empty());
    }

    /** Returns the name of a subscription as an annotation or a bean has it, which a variable in capitals is for. */
    Optional<String> nameLike(String subscription) {
        return RelaxedName.find(
                subscription,
                names().stream().map(bean -> annotated(bean).orElse(bean)).toList());
    }

    List<String> unannotated() {
        return names().stream().filter(bean -> annotated(bean).isEmpty()).toList();
    }

    List<String> annotatedFor(String subscription) {
        return names().stream()
                .filter(bean -> annotated(bean)
                        .filter(name -> RelaxedName.same(name, subscription))
                        .isPresent())
                .toList();
    }

    /** Returns the beans for a subscription: those annotated for it, and, if there are none, those without an annotation. */
    List<String> chosenFor(String subscription) {
        List<String> own = annotatedFor(subscription);
        return own.isEmpty() ? unannotated() : own;
    }

    /** Returns all beans for a subscription, in their order. */
    List<T> allFor(String subscription) {
        List<T> all = new ArrayList<>(Stream.concat(unannotated().stream(), annotatedFor(subscription).stream())
                .map(this::bean)
                .toList());
        AnnotationAwareOrderComparator.sort(all);
        return all;
    }

    /** Returns the annotations that name none of the subscriptions, as problems. */
    List<String> strangers(List<String> subscriptions) {
        return names().stream()
                .filter(bean -> annotated(bean)
                        .filter(name -> RelaxedName.find(name, subscriptions).isEmpty())
                        .isPresent())
                .map(bean -> "the bean %s is annotated for the subscription %s, which does not exist; there are %s"
                        .formatted(bean, annotated(bean).orElseThrow(), subscriptions))
                .toList();
    }
}
