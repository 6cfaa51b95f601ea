package dev.spream.testkit.subscription;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/**
 * Detects, by the flight recorder, virtual threads that wait while pinned to their carrier. Up to Java 23 both a
 * monitor and a native frame on the stack pin them, from Java 24 on only the latter, such as that of a class
 * initializer (JEP 491). One recording covers all threads of the process.
 */
public final class PinnedThreads implements AutoCloseable {
    private static final String EVENT = "jdk.VirtualThreadPinned";

    private final Recording recording = new Recording();

    /** Starts a recording of pinned waits that are longer than the threshold. */
    public PinnedThreads(Duration threshold) {
        recording.enable(EVENT).withThreshold(threshold).withStackTrace();
        recording.start();
    }

    /** One wait of a virtual thread that was pinned to its carrier meanwhile. */
    public record Pin(Duration duration, List<String> frames) {

        /** Returns the class that waited: the topmost frame outside the JDK. */
        public Optional<String> owner() {
            return frames.stream()
                    .filter(frame -> !frame.matches("(java|javax|jdk|sun)\\..*"))
                    .findFirst();
        }

        /**
         * Returns whether the engine or an adapter waited, or other code in the initializer of one of their classes.
         */
        public boolean isOurs() {
            return Stream.concat(owner().stream(), frames.stream().filter(frame -> frame.contains(".<clinit>")))
                    .anyMatch(frame -> frame.matches(
                            "dev\\.spream\\.(api|core|lock|outbox|projection|sinks|storage|testkit)\\..*"));
        }

        @Override
        public String toString() {
            return "%d ms at%n  %s"
                    .formatted(
                            duration.toMillis(),
                            frames.stream().limit(30).collect(Collectors.joining(System.lineSeparator() + "  ")));
        }
    }

    /** Ends the recording and returns the pinned waits. */
    public List<Pin> stop() throws IOException {
        recording.stop();
        Path file = Files.createTempFile("pinned", ".jfr");
        try {
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals(EVENT))
                    .map(PinnedThreads::pin)
                    .toList();
        } finally {
            Files.delete(file);
        }
    }

    private static Pin pin(RecordedEvent event) {
        RecordedStackTrace stack = event.getStackTrace();
        List<RecordedFrame> frames = stack == null ? List.of() : stack.getFrames();
        return new Pin(
                event.getDuration(),
                frames.stream()
                        .map(frame -> frame.getMethod().getType().getName() + "."
                                + frame.getMethod().getName() + ":" + frame.getLineNumber())
                        .toList());
    }

    @Override
    public void close() {
        recording.close();
    }

    /** Pins a virtual thread for 100 ms and waits for it, so that a recording contains at least one wait. */
    public static void pinOnPurpose() throws InterruptedException {
        Thread.ofVirtual().start(() -> initialize(SlowInitializer.class)).join();
    }

    /** Returns whether the wait is the one of {@link #pinOnPurpose}. */
    public static boolean isOnPurpose(Pin pin) {
        return pin.frames().stream().anyMatch(frame -> frame.contains(SlowInitializer.class.getSimpleName()));
    }

    /** Initializes a copy of the class, so that its initializer can run again. */
    private static void initialize(Class<?> original) {
        String file = original.getName().substring(original.getPackageName().length() + 1) + ".class";
        try (InputStream bytes = original.getResourceAsStream(file)) {
            MethodHandles.lookup().defineHiddenClass(bytes.readAllBytes(), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class SlowInitializer {
        private static final long NANOS = 100_000_000;

        static {
            long deadline = System.nanoTime() + NANOS;
            while (System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(NANOS);
            }
        }
    }
}
