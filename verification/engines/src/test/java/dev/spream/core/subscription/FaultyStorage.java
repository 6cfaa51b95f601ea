package dev.spream.core.subscription;

import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionStorage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A real storage whose calls fail when told so: before they reach it, or after, when only the confirmation is lost. */
final class FaultyStorage {

    /** Decides about one call. */
    interface Plan {
        Verdict judge(int call, String method);

        /** Sees a call that was told to pass, before it reaches the storage. */
        default void inspect(String method, Object[] arguments) {}
    }

    enum Verdict {
        PASS,
        FAIL_BEFORE,
        FAIL_AFTER
    }

    private final PartitionStorage delegate;
    private final Plan plan;
    private final boolean retryable;
    private final AtomicInteger calls = new AtomicInteger();
    private final List<String> methods = new ArrayList<>(); // guarded by itself

    FaultyStorage(PartitionStorage delegate, boolean retryable, Plan plan) {
        this.delegate = delegate;
        this.plan = plan;
        this.retryable = retryable;
    }

    static FaultyStorage counting(PartitionStorage delegate) {
        return new FaultyStorage(delegate, false, (call, method) -> Verdict.PASS);
    }

    long calls(String method) {
        synchronized (methods) {
            return methods.stream().filter(method::equals).count();
        }
    }

    int calls() {
        return calls.get();
    }

    PartitionStorage storage() {
        return (PartitionStorage) Proxy.newProxyInstance(
                PartitionStorage.class.getClassLoader(),
                new Class<?>[] {PartitionStorage.class},
                (proxy, method, arguments) -> {
                    int call = calls.incrementAndGet();
                    synchronized (methods) {
                        methods.add(method.getName());
                    }
                    Verdict verdict = plan.judge(call, method.getName());
                    if (verdict == Verdict.FAIL_BEFORE) {
                        throw failure(call, method.getName());
                    }
                    plan.inspect(method.getName(), arguments == null ? new Object[0] : arguments);
                    Object result;
                    try {
                        result = method.invoke(delegate, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (verdict == Verdict.FAIL_AFTER) {
                        throw failure(call, method.getName());
                    }
                    return result;
                });
    }

    private StorageException failure(int call, String method) {
        return new StorageException("scripted failure of call %d, %s".formatted(call, method), retryable, null);
    }
}
