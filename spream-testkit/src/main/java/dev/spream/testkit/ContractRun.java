package dev.spream.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.DurationText;
import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The tests of a contract against an implementation that may violate it. They run side by side. A test that does not end within the
 * limit fails and is interrupted. If one does not end within 30 seconds after that, the call fails and names it, and its thread remains.
 */
public final class ContractRun {
    private static final Duration TIMEOUT = Duration.ofSeconds(50);
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration END = Duration.ofSeconds(30);

    private final Class<?> contract;
    private final Supplier<?> suites;
    private final Duration limit;
    private final Duration toEnd;

    /**
     * Runs nothing yet.
     *
     * @param contract the class or interface that has the tests, two at least
     * @param suites creates a suite for each test, over the implementation
     * @param limit the time of all tests of a run together
     */
    public ContractRun(Class<?> contract, Supplier<?> suites, Duration limit) {
        this(contract, suites, limit, END);
    }

    ContractRun(Class<?> contract, Supplier<?> suites, Duration limit, Duration toEnd) {
        this.contract = contract;
        this.suites = suites;
        this.limit = limit;
        this.toEnd = toEnd;
    }

    /** Runs all tests, and returns the names of those that fail. */
    public Set<String> failures() {
        return failures(tests());
    }

    /**
     * Runs these tests and no others, each of which has to fail.
     *
     * @param names the names of tests, one at least, each once
     * @throws AssertionError if one of them passes, or the contract has no test of that name
     */
    public void requireFailures(String... names) {
        assertThat(names).as("tests that have to fail").isNotEmpty();
        Set<String> named = Set.of(names);
        assertThat(failures(tests().stream()
                        .filter(test -> named.contains(test.getName()))
                        .toList()))
                .containsExactlyInAnyOrder(names);
    }

    private Set<String> failures(List<Method> tests) {
        Map<String, Future<Boolean>> runs = new TreeMap<>();
        Set<String> failed = new TreeSet<>();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            for (Method test : tests) {
                runs.put(test.getName(), threads.submit(() -> passes(test, suites.get())));
            }
            long end = System.nanoTime() + limit.toNanos();
            runs.forEach((name, run) -> {
                if (!passed(run, end - System.nanoTime())) {
                    failed.add(name);
                }
            });
        } finally {
            threads.shutdownNow();
        }
        awaitEnd(threads, runs);
        return failed;
    }

    private void awaitEnd(ExecutorService threads, Map<String, Future<Boolean>> runs) {
        try {
            if (threads.awaitTermination(toEnd.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while tests of the contract end", e);
        }
        assertThat(running(runs))
                .as(
                        "tests of the contract that have not ended %s after their interrupt: their threads remain until this"
                                + " JVM ends; let every wait of the implementation end at an interrupt",
                        DurationText.of(toEnd))
                .isEmpty();
    }

    private static List<String> running(Map<String, Future<Boolean>> runs) {
        return runs.entrySet().stream()
                .filter(run -> !run.getValue().isDone())
                .map(Map.Entry::getKey)
                .toList();
    }

    /**
     * Returns a time limit for implementations that may violate the contract: three times the duration of a correct
     * implementation, measured on this machine under its present load, and at least a second. Fails if that
     * implementation violates the contract.
     */
    public static Duration limit(Class<?> contract, Supplier<?> keeping) {
        long began = System.nanoTime();
        assertThat(new ContractRun(contract, keeping, TIMEOUT).failures()).isEmpty();
        return Duration.ofNanos(Math.max(SHORTEST.toNanos(), 3 * (System.nanoTime() - began)));
    }

    private List<Method> tests() {
        List<Method> tests = Arrays.stream(contract.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .toList();
        assertThat(tests).as("tests of %s", contract).hasSizeGreaterThan(1);
        return tests;
    }

    private static boolean passes(Method test, Object suite) throws Exception {
        call(suite, BeforeEach.class);
        test.setAccessible(true); // the parts of a contract are not public
        try {
            test.invoke(suite);
            return true;
        } catch (InvocationTargetException e) {
            return false;
        } finally {
            call(suite, AfterEach.class);
        }
    }

    private static void call(Object suite, Class<? extends Annotation> when) throws ReflectiveOperationException {
        for (Class<?> type = suite.getClass(); type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.isAnnotationPresent(when)) {
                    method.setAccessible(true);
                    method.invoke(suite);
                }
            }
        }
    }

    private static boolean passed(Future<Boolean> run, long nanos) {
        try {
            return run.get(Math.max(1, nanos), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError("cannot run a test of the contract", e);
        }
    }
}
