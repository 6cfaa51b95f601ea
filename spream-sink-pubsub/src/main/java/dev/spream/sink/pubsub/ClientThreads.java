package dev.spream.sink.pubsub;

import dev.spream.api.spi.ConsumerProvider;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * The threads of the client that outlive it. gRPC keeps its network threads for a second after the last connection was
 * closed; then a thread of the JDK's ends them one by one, and starts those that were never used to end them too. When they
 * end they load further classes. In a plug-in folder, these classes are in jars that the host closes as soon as the sink is
 * closed; so the sink waits for the threads, which have a class or the context of its class loader.
 */
final class ClientThreads {
    private ClientThreads() {}

    /** Waits until the threads have ended, but no longer than that. Does nothing on a class path, which stays open. */
    static void awaitEnd(Duration limit) throws InterruptedException {
        ClassLoader own = ClientThreads.class.getClassLoader();
        if (Objects.equals(own, ConsumerProvider.class.getClassLoader())) {
            return;
        }
        long deadline = System.nanoTime() + limit.toNanos();
        List<Thread> left = threadsOf(own);
        while (!left.isEmpty() && System.nanoTime() - deadline < 0) {
            left.getFirst().join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
            left = threadsOf(own); // the last one starts another one that ends the group
        }
    }

    private static List<Thread> threadsOf(ClassLoader loader) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !thread.equals(Thread.currentThread()))
                .filter(thread -> loader.equals(thread.getClass().getClassLoader())
                        || loader.equals(thread.getContextClassLoader()))
                .toList();
    }
}
