package dev.spream.core.outbox;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Test;

/** Runs the tests of a contract over what may not keep it. */
final class ContractRun {
    private ContractRun() {}

    /** A contract whose tests are run one at a time, each between these two. */
    interface Suite {
        void begin() throws Exception;

        void end();
    }

    /** The names of the tests that fail, or do not end in time. */
    static Set<String> failures(Class<?> contract, Supplier<? extends Suite> suites, Duration limit) {
        Map<String, Future<Boolean>> runs = new TreeMap<>();
        Set<String> failed = new TreeSet<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Method test : tests(contract)) {
                runs.put(test.getName(), threads.submit(() -> passes(test, suites.get())));
            }
            long end = System.nanoTime() + limit.toNanos();
            runs.forEach((name, run) -> {
                if (!passed(run, end - System.nanoTime())) {
                    failed.add(name);
                }
            });
            threads.shutdownNow();
        }
        return failed;
    }

    private static List<Method> tests(Class<?> contract) {
        List<Method> tests = Arrays.stream(contract.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .toList();
        assertThat(tests).as("tests of %s", contract).hasSizeGreaterThan(8);
        return tests;
    }

    private static boolean passes(Method test, Suite suite) throws Exception {
        suite.begin();
        try {
            test.invoke(suite);
            return true;
        } catch (InvocationTargetException e) {
            return false;
        } finally {
            suite.end();
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
