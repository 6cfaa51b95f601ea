package dev.spream.core.subscription;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.StorageException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;

/**
 * A storage that survives all processes, as one of them sees it: calls take their time and fail, before their effect or
 * after it, and the judge sees each before it has an effect, and its result.
 */
final class SimulatedStorage implements InvocationHandler {
    private final PartitionStorage surviving;
    private final SimulatedPorts ports;
    private final SimulationJudge judge;

    private SimulatedStorage(PartitionStorage surviving, SimulatedPorts ports, SimulationJudge judge) {
        this.surviving = surviving;
        this.ports = ports;
        this.judge = judge;
    }

    static PartitionStorage of(PartitionStorage surviving, SimulatedPorts ports, SimulationJudge judge) {
        return (PartitionStorage) Proxy.newProxyInstance(
                PartitionStorage.class.getClassLoader(),
                new Class<?>[] {PartitionStorage.class},
                new SimulatedStorage(surviving, ports, judge));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        String call = method.getName();
        List<Object> given = arguments == null ? List.of() : Arrays.asList(arguments);
        ports.pass("%s%s", call, given);
        long requestedAt = ports.process.nanoTime();
        ports.delay();
        if (ports.trouble.strikes(ports.trouble.storageFailure, SimulationEvent.STORAGE_FAILED_BEFORE)) {
            throw failure(call, true, "before its effect");
        }
        if (ports.trouble.strikes(ports.trouble.storageFatal, SimulationEvent.STORAGE_FATAL)) {
            throw failure(call, false, "for good");
        }
        judge.storage.before(judge.run(ports.process), call, given);
        Object result = invoke(method, arguments);
        judge.storage.after(judge.run(ports.process), call, given, result, requestedAt);
        if (ports.trouble.strikes(ports.trouble.storageFailure, SimulationEvent.STORAGE_FAILED_AFTER)) {
            throw failure(call, true, "after its effect");
        }
        ports.pass("%s returns %s", call, result instanceof Lineage ? "" : result);
        ports.delay();
        return result;
    }

    private Object invoke(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(surviving, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private StorageException failure(String call, boolean retryable, String when) {
        ports.pass("%s fails %s", call, when);
        return new StorageException(SimulatedFailure.message(call + " fails " + when), retryable, null);
    }
}
