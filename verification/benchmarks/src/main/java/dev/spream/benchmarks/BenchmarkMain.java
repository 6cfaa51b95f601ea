package dev.spream.benchmarks;

import dev.spream.benchmarks.harness.ChildJvm;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Runs the benchmarks named by the arguments one after the other, or all but the one of an hour without arguments. The
 * output of each goes to the standard output and into a file under {@code target/benchmarks}.
 */
final class BenchmarkMain {
    private BenchmarkMain() {}

    public static void main(String[] args) throws IOException, InterruptedException, URISyntaxException {
        List<Benchmark> chosen = new ArrayList<>();
        for (String name : args) {
            chosen.add(Arrays.stream(Benchmark.values())
                    .filter(benchmark -> benchmark.label().equals(name))
                    .findFirst()
                    .orElseGet(() -> usage(name)));
        }
        boolean succeeded = true;
        if (args.length == 0) {
            chosen.addAll(EnumSet.complementOf(EnumSet.of(Benchmark.LONG_RUN)));
        }
        for (Benchmark benchmark : chosen) {
            succeeded &= run(benchmark);
        }
        System.exit(succeeded ? 0 : 1);
    }

    private static Benchmark usage(String name) {
        String known = Arrays.stream(Benchmark.values()).map(Benchmark::label).collect(Collectors.joining(", "));
        System.err.printf("there is no benchmark %s; there are %s%n", name, known);
        System.exit(2);
        throw new AssertionError("exited");
    }

    private static boolean run(Benchmark benchmark) throws IOException, InterruptedException, URISyntaxException {
        Path file = Files.createDirectories(output()).resolve(benchmark.label() + ".txt");
        System.out.printf("== %s%n", benchmark.label());
        try (ChildJvm child = ChildJvm.start(benchmark.program(), List.of("-Xmx" + benchmark.heapMegabytes() + "m"));
                PrintWriter copy = new PrintWriter(Files.newBufferedWriter(file))) {
            for (String line; (line = child.output().readLine()) != null; ) {
                System.out.println(line);
                copy.println(line);
            }
            if (child.exitCode() == 0) {
                return true;
            }
            System.err.printf("%s failed with exit code %d%n", benchmark.label(), child.exitCode());
            return false;
        }
    }

    /** Returns the folder next to that of the loaded classes. */
    private static Path output() throws URISyntaxException {
        return Path.of(BenchmarkMain.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .resolveSibling("benchmarks");
    }
}
