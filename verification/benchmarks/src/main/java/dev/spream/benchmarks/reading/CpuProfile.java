package dev.spream.benchmarks.reading;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * The CPU time of this process by component during some work, by samples of the JDK's flight recorder. A sample counts
 * for the component whose code runs, or which called the JDK's code that runs.
 */
final class CpuProfile {
    private static final Duration PERIOD = Duration.ofMillis(5);
    private static final int METHODS = 20;

    private final Map<String, Integer> parts = new HashMap<>();
    private final Map<String, Integer> methods = new HashMap<>();
    private int samples;

    private CpuProfile() {}

    static void print(String title, Callable<Long> work) throws Exception {
        Path file = Files.createTempFile("spream-benchmark", ".jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.ExecutionSample").withPeriod(PERIOD);
            recording.start();
            work.call();
            recording.stop();
            recording.dump(file);
            CpuProfile profile = new CpuProfile();
            profile.read(file);
            profile.print(title);
        } finally {
            Files.delete(file);
        }
    }

    private void read(Path file) throws IOException {
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                if (event.getEventType().getName().equals("jdk.ExecutionSample") && event.getStackTrace() != null) {
                    count(event.getStackTrace().getFrames());
                }
            }
        }
    }

    private void count(List<RecordedFrame> stack) {
        samples++;
        parts.merge(part(stack), 1, Integer::sum);
        Set<String> seen = new HashSet<>();
        for (RecordedFrame frame : stack) {
            String type = frame.getMethod().getType().getName();
            String method = frame.getMethod().getName();
            boolean ofSpream = type.startsWith("dev.spream.") && !type.startsWith("dev.spream.benchmarks.");
            if (ofSpream && !method.startsWith("lambda$") && !type.contains("$$")) {
                seen.add(type.substring(type.lastIndexOf('.') + 1) + "." + method);
            }
        }
        seen.forEach(method -> methods.merge(method, 1, Integer::sum));
    }

    private static String part(List<RecordedFrame> stack) {
        for (RecordedFrame frame : stack) {
            String type = frame.getMethod().getType().getName();
            if (!type.startsWith("java.") && !type.startsWith("jdk.") && !type.startsWith("sun.")) {
                return part(type);
            }
        }
        return "JDK alone: threads and their scheduling";
    }

    private static String part(String type) {
        if (type.startsWith("dev.spream.storage.") || type.startsWith("dev.spream.core.record.")) {
            return "spream: source and decoder";
        }
        if (type.matches("dev\\.spream\\.(core|lock|outbox|projection)\\..*")) {
            return "spream: engine";
        }
        if (type.startsWith("dev.spream.")) {
            return "benchmark";
        }
        if (type.startsWith("io.grpc.") || type.startsWith("com.google.cloud.grpc.")) {
            return "gRPC and netty";
        }
        if (type.startsWith("com.google.protobuf.") || type.startsWith("com.google.spanner.v1.")) {
            return "protobuf";
        }
        if (type.startsWith("com.google.cloud.") || type.startsWith("com.google.api.")) {
            return "Spanner client";
        }
        return type.startsWith("com.google.common.") ? "Guava, for the Spanner client" : "other";
    }

    private void print(String title) {
        System.out.printf("%nCPU profile, %s: %d samples%n", title, samples);
        printShares(parts, Integer.MAX_VALUE);
        System.out.println("  of all samples, within a method of spream and what it calls:");
        printShares(methods, METHODS);
    }

    private void printShares(Map<String, Integer> counts, int limit) {
        counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .limit(limit)
                .forEach(entry ->
                        System.out.printf("  %5.1f %%  %s%n", 100.0 * entry.getValue() / samples, entry.getKey()));
    }
}
