package dev.spream.spring.lock;

import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.TaskLock;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Runs the methods with {@link RunOnce} under their locks. Safe for use by many threads. */
final class RunOnceInterceptor implements MethodInterceptor {
    private static final Logger log = LoggerFactory.getLogger(RunOnceInterceptor.class);

    private final ObjectProvider<HierarchicalLocks<?>> locks;
    private final UnaryOperator<String> values;
    private final Map<Method, TaskLock> tasks = new ConcurrentHashMap<>();

    /** @param values resolves placeholders and expressions */
    RunOnceInterceptor(ObjectProvider<HierarchicalLocks<?>> locks, UnaryOperator<String> values) {
        this.locks = locks;
        this.values = values;
    }

    /**
     * Checks the methods of a class.
     *
     * @throws IllegalStateException if one with the annotation would run without a lock
     */
    void check(Class<?> type) {
        MethodIntrospector.selectMethods(
                        type, (Method method) -> AnnotatedElementUtils.findMergedAnnotation(method, RunOnce.class))
                .forEach((method, annotation) -> {
                    int modifiers = method.getModifiers();
                    if (method.getReturnType() != void.class
                            || Modifier.isPrivate(modifiers)
                            || Modifier.isStatic(modifiers)
                            || Modifier.isFinal(modifiers)) {
                        throw new IllegalStateException(
                                "@RunOnce method %s: it must return nothing, and be neither private, static nor final"
                                        .formatted(method));
                    }
                    TaskLock ignored = taskOf(method);
                    if (locks.stream().findAny().isEmpty()) {
                        throw new IllegalStateException(
                                "@RunOnce method %s: there is no HierarchicalLocks bean; set spream.locks.enabled=true, with a DataSource bean and spream-storage-jdbc, or define one"
                                        .formatted(method));
                    }
                });
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Exception {
        TaskLock task = taskOf(invocation.getMethod());
        if (!locks.getObject().runOnce(task, handle -> proceed(invocation))) {
            log.debug("the task {} is not run: another process holds its lock", task.target());
        }
        return null;
    }

    private static void proceed(MethodInvocation invocation) throws Exception {
        try {
            Object ignored = invocation.proceed();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new UndeclaredThrowableException(t);
        }
    }

    private TaskLock taskOf(Method method) {
        return tasks.computeIfAbsent(method, this::read);
    }

    private TaskLock read(Method method) {
        RunOnce annotation = Optional.ofNullable(AnnotatedElementUtils.findMergedAnnotation(method, RunOnce.class))
                .orElseThrow();
        try {
            return TaskLock.named(
                    values.apply(annotation.name()),
                    DurationStyle.detectAndParse(values.apply(annotation.atMostFor())),
                    DurationStyle.detectAndParse(values.apply(annotation.atLeastFor())));
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException("@RunOnce method %s: %s".formatted(method, e.getMessage()), e);
        }
    }
}
