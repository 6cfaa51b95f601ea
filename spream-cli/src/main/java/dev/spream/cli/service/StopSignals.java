package dev.spream.cli.service;

import dev.spream.cli.command.CommandFailure;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.ExitCode;

/**
 * Handles SIGTERM and SIGINT: the first starts a drain, the second a hard stop, which exits the process if it exceeds
 * its time limit, and a third exits the process. While this is open the signals have no other effect.
 *
 * <p>{@code sun.misc.Signal} is Java's only means of handling a second signal. It is accessed by reflection, since
 * javac's warning about it cannot be suppressed.
 */
public final class StopSignals implements AutoCloseable {
    private static final List<String> NAMES = List.of("TERM", "INT");
    private static final int KILLED_BY_SIGNAL = 128;
    private static final int TERM = 15;
    /** Time limit of a hard stop: a write to an output without a reader cannot be interrupted. */
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger received = new AtomicInteger();
    private final Runnable drain;
    private final Runnable stop;
    private final List<Runnable> restore = new ArrayList<>();

    private StopSignals(Runnable drain, Runnable stop) {
        this.drain = drain;
        this.stop = stop;
    }

    /** Installs the handlers. Both actions run on threads of their own, and may block. */
    public static StopSignals install(Runnable drain, Runnable stop) {
        StopSignals signals = new StopSignals(drain, stop);
        NAMES.forEach(signals::handle);
        return signals;
    }

    public boolean received() {
        return received.get() > 0;
    }

    public boolean receivedTwice() {
        return received.get() > 1;
    }

    public void awaitFirst() throws InterruptedException {
        first.await();
    }

    private void onSignal() {
        first.countDown();
        switch (received.incrementAndGet()) {
            case 1 -> Thread.ofVirtual().name("spream-drain").start(drain);
            case 2 -> {
                Thread.ofVirtual().name("spream-stop").start(stop);
                Thread.ofVirtual().name("spream-halt").start(this::haltUnlessClosed);
            }
            default -> Runtime.getRuntime().halt(KILLED_BY_SIGNAL + TERM);
        }
    }

    private void haltUnlessClosed() {
        try {
            if (!closed.await(STOP_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
                System.err.println("stopped by a second signal, with work unfinished: the output is blocked");
                Runtime.getRuntime().halt(ExitCode.SOFTWARE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void handle(String name) {
        InvocationHandler onSignal = (proxy, method, arguments) -> {
            onSignal();
            return null;
        };
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object mine = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, onSignal);
            Object previous = setHandler(signal, handler, name, mine);
            restore.add(() -> {
                try {
                    setHandler(signal, handler, name, previous);
                } catch (ReflectiveOperationException e) {
                    throw new LinkageError("cannot restore the handling of SIG" + name, e);
                }
            });
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("cannot handle SIG%s: this Java has no sun.misc.Signal".formatted(name), e);
        }
    }

    private static Object setHandler(Class<?> signal, Class<?> handler, String name, Object value)
            throws ReflectiveOperationException {
        try {
            Object named = signal.getConstructor(String.class).newInstance(name);
            return signal.getMethod("handle", signal, handler).invoke(null, named, value);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IllegalArgumentException) {
                throw new CommandFailure(
                        "SIG%s is already used by the Java runtime: start it without -Xrs".formatted(name));
            }
            throw e;
        }
    }

    @Override
    public void close() {
        closed.countDown();
        restore.forEach(Runnable::run);
    }
}
