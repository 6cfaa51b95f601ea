package dev.spream.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A web hook that refuses changes of selected items, or holds all, for a configurable time, and records the versions that
 * it accepted.
 */
final class RefusingWebhook implements AutoCloseable {
    private static final long TIMEOUT_NANOS = 60_000_000_000L;

    private final HttpServer server;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<Long> refused = ConcurrentHashMap.newKeySet();
    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger held = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private final Map<Long, List<Long>> taken = new TreeMap<>(); // guarded by itself

    RefusingWebhook() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(executor);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        awaitGate();
        exchange.sendResponseHeaders(take(ChangeRecordJson.readDataChange(body)) ? 204 : 422, -1);
        exchange.close();
    }

    private void awaitGate() throws IOException {
        CountDownLatch closed = gate;
        held.addAndGet(closed.getCount() > 0 ? 1 : 0);
        try {
            closed.await();
        } catch (InterruptedException e) {
            throw new IOException("the web hook ends", e);
        }
    }

    private boolean take(DataChangeRecord change) {
        Mod mod = change.mods().getFirst();
        long item = mod.keys().int64("Id").orElseThrow();
        if (refused.contains(item)) {
            refusals.incrementAndGet();
            return false;
        }
        synchronized (taken) {
            taken.computeIfAbsent(item, id -> new ArrayList<>())
                    .add(mod.newValues().int64("Version").orElseThrow());
        }
        return true;
    }

    String url() {
        return "http://127.0.0.1:%d/".formatted(server.getAddress().getPort());
    }

    void refuse(long item) {
        refused.add(item);
    }

    /** Answers nothing from now on, until it is let go. */
    void hold() {
        gate = new CountDownLatch(1);
    }

    /** Waits until a change is held. */
    void awaitHeld() {
        await(() -> held.get() > 0, () -> "no change came");
    }

    void letGo() {
        gate.countDown();
    }

    void relent() {
        refused.clear();
    }

    /** The versions of an item in the order in which they were taken. */
    List<Long> taken(long item) {
        synchronized (taken) {
            return List.copyOf(taken.getOrDefault(item, List.of()));
        }
    }

    void awaitTaken(long item, long version) {
        await(
                () -> taken(item).contains(version),
                () -> "version %d of item %d did not come, only %s".formatted(version, item, taken(item)));
    }

    /** Waits until it has refused so many changes since it was made. */
    void awaitRefusals(int count) {
        await(() -> refusals.get() >= count, () -> "%d refused, not %d".formatted(refusals.get(), count));
    }

    private static void await(BooleanSupplier condition, Supplier<String> state) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(state.get());
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
