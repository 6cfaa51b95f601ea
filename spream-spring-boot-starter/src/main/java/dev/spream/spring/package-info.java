/**
 * Subscriptions in a Spring Boot application: a bean of type {@link dev.spream.core.consume.Consumer} is a subscription,
 * configured by the properties below {@code spream.subscriptions} and {@code spream.defaults}, started and drained with
 * the application context. Read {@link dev.spream.spring.SpreamSubscriptions} first.
 *
 * <p>Keys, validation and assembly are those of {@link dev.spream.api.Spream}; this package finds the beans and hands the
 * properties over. Metrics, spans, health and the data source are in packages of their own, since their libraries are
 * optional.
 */
@NullMarked
package dev.spream.spring;

import org.jspecify.annotations.NullMarked;
