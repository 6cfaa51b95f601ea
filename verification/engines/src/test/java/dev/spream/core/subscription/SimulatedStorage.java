package dev.spream.core.subscription;

import dev.spream.core.StorageException;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A storage that survives all processes, as one of them sees it: calls take their time and fail, before their effect or
 * after it, and the judge sees each before it has an effect, and its result. A request that is on its way has its effect
 * even if the process that sent it is paused or dead by then.
 */
final class SimulatedStorage implements InvocationHandler {
    private static final long LONGEST_TIMEOUT = 3_000_000_000L;

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
    public @Nullable Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        long requestedAt = ports.process.nanoTime();
        String call = method.getName();
        List<Object> given = arguments == null ? List.of() : Arrays.asList(arguments);
        ports.pass("%s%s", call, given);
        judge.storage.asked(judge.run(ports.process), call, given);
        boolean heldUp = ports.outageLeft() > 0 && meetsOutage(call);
        if (ports.strikes(ports.trouble.storageFailure, SimulationEvent.STORAGE_FAILED_BEFORE)) {
            ports.delay();
            throw failure(call, true, "before its effect");
        }
        if (ports.strikes(ports.trouble.storageFatal, SimulationEvent.STORAGE_FATAL)) {
            ports.delay();
            throw failure(call, false, "for good");
        }
        Object result = answer(method, arguments, given, requestedAt);
        if (heldUp) {
            ports.process.sleepUninterruptibly(ports.outageLeft());
        }
        if (ports.strikes(ports.trouble.storageFailure, SimulationEvent.STORAGE_FAILED_AFTER)) {
            throw failure(call, true, "after its effect");
        }
        ports.pass("%s returns %s", call, described(result));
        ports.delay();
        return result;
    }

    /** A lineage has no description, which would be different in each run. */
    private static String described(@Nullable Object result) {
        return switch (result) {
            case Lineage lineage -> "";
            case FrontierChanges changes -> changes.mark().toString();
            case null, default -> String.valueOf(result);
        };
    }

    /** Applies an outage to a call; returns true if the response is delayed until the outage is over. */
    private boolean meetsOutage(String call) {
        switch (ports.trouble.random.nextInt(4)) {
            case 0 -> ports.process.sleepUninterruptibly(ports.outageLeft());
            case 1 -> {
                return true;
            }
            default -> {
                ports.process.sleepUninterruptibly(
                        ports.trouble.random.nextLong(Math.min(ports.outageLeft(), LONGEST_TIMEOUT)));
                throw failure(call, true, "in an outage");
            }
        }
        return false;
    }

    /** Sends the request, and waits for its answer. Once sent it has its effect, whatever becomes of the process. */
    private @Nullable Object answer(Method method, Object[] arguments, List<Object> given, long requestedAt)
            throws Throwable {
        SimulatedRequest request = new SimulatedRequest(() -> effect(method, arguments, given, requestedAt));
        ports.process.send(request, ports.trouble.latency());
        return request.result();
    }

    private Object effect(Method method, Object[] arguments, List<Object> given, long requestedAt) throws Throwable {
        JudgedRun run = judge.run(ports.process);
        if (ports.process.isHeldUp()) {
            ports.count(SimulationEvent.LATE_REQUEST);
        }
        List<PartitionMetadata> before = judge.storage.before(run, method.getName(), given);
        Object result = proceed(method, arguments);
        judge.storage.after(run, method.getName(), given, result, requestedAt, before);
        return result;
    }

    private Object proceed(Method method, Object[] arguments) throws Throwable {
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
