package dev.spream.spring.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The destination that an {@code OutboxSender} bean sends for; on its class or its {@code @Bean} method. A sender without
 * it sends the entries without a destination.
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxDestination {
    /** The destination, as messages name it. */
    String value();
}
