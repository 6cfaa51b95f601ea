package dev.spream.examples.order;

import dev.spream.examples.http.Answer;
import dev.spream.examples.order.FaultJudge.Accepted;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Clients that place orders continuously until they are stopped. Each repeats an order under its key, at any service,
 * until it is accepted, and only then places the next: so the orders of its account are accepted in order.
 */
final class OrderFlood implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final OrderClient client = new OrderClient(Duration.ofMillis(1_500));
    private final Supplier<URI> services;
    private final Duration pace;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<?>> running = new ArrayList<>();
    private final ConcurrentLinkedQueue<Accepted> accepted = new ConcurrentLinkedQueue<>();
    private final AtomicLong repeated = new AtomicLong();
    private volatile boolean stopped;

    /**
     * Starts to order.
     *
     * @param services one of those that are there, another one each time
     * @param pace between two orders of a client
     */
    OrderFlood(Supplier<URI> services, int accounts, int withoutAccount, Duration pace) {
        this.services = services;
        this.pace = pace;
        for (int i = 0; i < accounts; i++) {
            start("account" + i, Optional.of("account" + i));
        }
        for (int i = 0; i < withoutAccount; i++) {
            start("client" + i, Optional.empty());
        }
    }

    private void start(String name, Optional<String> account) {
        running.add(threads.submit(() -> {
            for (int number = 1; !stopped; number++) {
                String key = name + "-" + number;
                order(key, account, number);
                accepted.add(new Accepted(key, account));
                Thread.sleep(pace);
            }
            return null;
        }));
    }

    private void order(String key, Optional<String> account, int number) throws InterruptedException {
        String body = account.map(name -> OrderClient.order(name, number % 1_000 + 1))
                .orElseGet(() -> OrderClient.order(number % 1_000 + 1));
        while (!isTaken(key, body)) {
            repeated.incrementAndGet();
            Thread.sleep(PAUSE);
        }
    }

    /** Returns whether a service has the order, or its result. */
    private boolean isTaken(String key, String body) throws InterruptedException {
        try {
            OrderClient.Reply reply = client.post(services.get(), key, body);
            boolean taken = reply.status() == Answer.OK
                    || reply.status() == Answer.ACCEPTED
                    || (reply.json().has("reason") && !reply.text("reason").equals("IDEMPOTENCY_CONFLICT"));
            if (!taken && reply.status() != Answer.UNAVAILABLE) {
                throw new AssertionError("order %s was answered %d: %s"
                        .formatted(key, reply.status(), reply.response().body()));
            }
            return taken;
        } catch (IOException e) {
            return false; // the service is gone, or stands still
        }
    }

    /** Fails if a client has ended. */
    void requireOrdering() throws Exception {
        for (Future<?> client : running) {
            if (client.isDone()) {
                client.get();
            }
        }
    }

    long repeated() {
        return repeated.get();
    }

    int size() {
        return accepted.size();
    }

    /** Lets every client finish the order that it is at, and returns all, those of an account in their order. */
    List<Accepted> stop() throws Exception {
        stopped = true;
        for (Future<?> client : running) {
            client.get();
        }
        return List.copyOf(accepted);
    }

    @Override
    public void close() {
        stopped = true;
        threads.shutdownNow();
        client.close();
    }
}
