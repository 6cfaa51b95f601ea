package dev.spream.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the subscription that a bean is for: a consumer, or a component that is used instead of the configured one. It is
 * placed on the class or on the method that declares the bean. Without it, the name of a consumer's bean decides, and
 * other components serve the only subscription, or each one.
 *
 * <pre>{@code
 * @Component
 * @SpreamSubscription("orders")
 * class OrderIndex implements ChangeHandler { ... }
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface SpreamSubscription {
    /** Returns the name, as in {@code spream.subscriptions.<name>}; case and hyphens do not matter. */
    String value();
}
