package dev.spream.spring.lock;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockException;
import dev.spream.lock.LockListener;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.testkit.memory.InMemoryLockStore;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Methods with the annotation, in applications that share a store of locks. */
@Timeout(60)
final class RunOnceTest {
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final CountDownLatch finish = new CountDownLatch(1);
    private final InMemoryLockStore store = InMemoryLockStore.create();
    private final ApplicationContextRunner bare =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RunOnceAutoConfiguration.class));
    private final ApplicationContextRunner runner = bare.withPropertyValues("report.name=orders", "report.limit=10m")
            .withBean(
                    HierarchicalLocks.class,
                    () -> HierarchicalLocks.builder(store).listener(new Busy()).build());

    @AfterEach
    void close() {
        store.close();
    }

    private final class Busy implements LockListener {
        @Override
        public void failed(LockRequest request, LockException failure, Duration took) {
            events.add("busy");
        }
    }

    @Configuration
    @EnableScheduling
    static class Scheduling {}

    /** A task that lasts until it is told to finish. */
    static class Reports {
        private final String process;
        private final RunOnceTest test;

        Reports(String process, RunOnceTest test) {
            this.process = process;
            this.test = test;
        }

        @Scheduled(fixedDelay = 5)
        @RunOnce(name = "${report.name}", atMostFor = "${report.limit}")
        void report() throws InterruptedException {
            test.events.add(process);
            test.finish.await();
        }
    }

    @Test
    void of_two_applications_one_runs_a_scheduled_method() {
        ApplicationContextRunner scheduled = runner.withUserConfiguration(Scheduling.class);
        scheduled.withBean(Reports.class, () -> new Reports("first", this)).run(first -> {
            assertThat(events.poll(30, SECONDS)).isEqualTo("first");
            scheduled.withBean(Reports.class, () -> new Reports("second", this)).run(second -> {
                for (int tries = 0; tries < 5; tries++) {
                    assertThat(events.poll(30, SECONDS)).isEqualTo("busy");
                }
                assertThat(second.getBean(HierarchicalLocks.class)
                                .tryAcquire(LockRequest.exclusive(LockTarget.of("tasks", "orders"))))
                        .isEmpty();
                ((ConfigurableApplicationContext) first.getSourceApplicationContext()).close();
                String next = "busy";
                while ("busy".equals(next)) {
                    next = events.poll(30, SECONDS);
                }
                assertThat(next).isEqualTo("second");
                finish.countDown();
            });
        });
    }

    /** A task that fails. */
    static class Failing {
        @RunOnce(name = "failing", atMostFor = "#{1 + 1}m", atLeastFor = "PT1M")
        void fail() throws IOException {
            throw new IOException("no");
        }
    }

    @Test
    void a_failure_reaches_the_caller_and_the_lock_is_kept() {
        runner.withBean(Failing.class).run(context -> {
            assertThatThrownBy(context.getBean(Failing.class)::fail).isInstanceOf(IOException.class);
            context.getBean(Failing.class).fail();
            assertThat(events).containsExactly("busy");
        });
    }

    static class Returning {
        @RunOnce(name = "sum", atMostFor = "1m")
        int sum() {
            return 1;
        }
    }

    static class Hidden {
        @RunOnce(name = "hidden", atMostFor = "1m")
        private void run() {}
    }

    static class Endless {
        @RunOnce(name = "endless", atMostFor = "0s")
        void run() {}
    }

    @Test
    void a_method_that_cannot_be_locked_is_refused_when_its_bean_is_created() {
        refuses(runner.withBean(Returning.class), "Returning.sum(): it must return nothing");
        refuses(runner.withBean(Hidden.class), "Hidden.run(): it must return nothing, and be neither private");
        refuses(runner.withBean(Endless.class), "atMostFor is");
        refuses(bare.withBean(Failing.class), "there is no HierarchicalLocks bean; set spream.locks.enabled=true");
    }

    private static void refuses(ApplicationContextRunner application, String message) {
        application.run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
    }
}
