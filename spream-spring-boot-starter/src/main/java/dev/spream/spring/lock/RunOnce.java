package dev.spream.spring.lock;

import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.TaskLock;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a bean, usually a {@code @Scheduled} one, that one process at a time runs: a call returns at once
 * where another process runs the task. It is {@link HierarchicalLocks#runOnce} with {@link TaskLock#named}. The call
 * throws what {@code runOnce} throws. An example: {@code @RunOnce(name = "report", atMostFor = "10m", atLeastFor = "30s")}.
 *
 * <p>The method returns nothing, and is neither private, static nor final: calls through the bean alone are locked. A bean
 * that breaks these rules is not created, nor is one in an application without a {@link HierarchicalLocks} bean. All
 * attributes may have placeholders, <code>${…}</code>, and expressions, <code>#{…}</code>.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RunOnce {
    /** The name of the task, the same in all processes. */
    String name();

    /** The maximum time of a run, such as {@code 10m} or {@code PT10M}; a longer one loses its lock. */
    String atMostFor();

    /** The minimum time for which the lock is held, longer than clocks differ; none by default. */
    String atLeastFor() default "0s";
}
