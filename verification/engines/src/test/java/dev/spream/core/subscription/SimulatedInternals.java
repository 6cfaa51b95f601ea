package dev.spream.core.subscription;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The two things that a simulation needs and the JDK does not offer: virtual threads that run where one says, and a way from
 * a condition to its lock. The JVM has to be told {@code --add-opens} for {@code java.lang} and {@code
 * java.util.concurrent.locks}, as the build does for the simulation.
 */
final class SimulatedInternals {
    private static final Constructor<?> BUILDER;
    private static final Field SYNCHRONIZER;

    static {
        try {
            BUILDER = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                    .getDeclaredConstructor(Executor.class);
            BUILDER.setAccessible(true);
            SYNCHRONIZER = AbstractQueuedSynchronizer.ConditionObject.class.getDeclaredField("this$0");
            SYNCHRONIZER.setAccessible(true);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IllegalStateException(
                    "this JVM does not let a simulation schedule its virtual threads; run it with --add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.util.concurrent.locks=ALL-UNNAMED",
                    e);
        }
    }

    private SimulatedInternals() {}

    /** Virtual threads whose steps are run by that executor, and those of all threads that they start. */
    static Thread.Builder.OfVirtual virtualThreads(Executor scheduler) {
        try {
            return (Thread.Builder.OfVirtual) BUILDER.newInstance(scheduler);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Signals a condition of a {@link ReentrantLock}, waiting for the lock. */
    static void signalAll(Condition condition) {
        AbstractQueuedSynchronizer lock;
        try {
            lock = (AbstractQueuedSynchronizer) SYNCHRONIZER.get(condition);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
        lock.acquire(1);
        try {
            condition.signalAll();
        } finally {
            lock.release(1);
        }
    }
}
