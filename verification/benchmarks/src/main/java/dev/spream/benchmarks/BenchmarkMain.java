package dev.spream.benchmarks;

import dev.spream.benchmarks.harness.ChildJvm;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Runs the benchmarks named by the arguments one after the other, or all but the one of an hour without arguments. The output of each
 * goes to the standard output and into a file under {@code target/benchmarks}, with the {@link BenchmarkPage} of all
 * that have run. The argument {@code page} only writes this page.
 */
final class BenchmarkMain {
    private BenchmarkMain() {}

    public static void main(String[] args) throws IOException, InterruptedException, URISyntaxException {
        List<Benchmark> chosen = args.length == 0
                ? EnumSet.complementOf(EnumSet.of(Benchmark.LONG_RUN)).stream().toList()
                : Arrays.stream(args)
                        .filter(name -> !name.equals("page"))
                        .map(BenchmarkMain::find)
                        .toList();
        boolean succeeded = true;
        for (Benchmark benchmark : chosen) {
            succeeded &= run(benchmark);
        }
        System.out.printf("%ncharts: %s%n", BenchmarkPage.write(Files.createDirectories(output())));
        System.exit(succeeded ? 0 : 1);
    }

    private static Benchmark find(String name) {
        return Arrays.stream(Benchmark.values())
                .filter(benchmark -> benchmark.label().equals(name))
                .findFirst()
                .orElseGet(() -> usage(name));
    }

    private static Benchmark usage(String name) {
        String known = Arrays.stream(Benchmark.values()).map(Benchmark::label).collect(Collectors.joining(", "));
        System.err.printf("there is no benchmark %s; there are %s, and page%n", name, known);
        System.exit(2);
        throw new AssertionError("exited");
    }

    private static boolean run(Benchmark benchmark) throws IOException, InterruptedException, URISyntaxException {
        Path file = Files.createDirectories(output()).resolve(benchmark.label() + ".txt");
        Path figures = file.resolveSibling(benchmark.label() + ".tsv");
        Files.writeString(figures, circumstances());
        System.out.printf("== %s%n", benchmark.label());
        List<String> flags = List.of("-Xmx%dm".formatted(benchmark.heapMegabytes()), "-Dfigures=" + figures);
        try (ChildJvm child = ChildJvm.start(benchmark.program(), flags);
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

    private static String circumstances() {
        return "%s, %d processors, %s %s, JDK %s%n"
                .formatted(
                        LocalDate.now(ZoneOffset.UTC),
                        Runtime.getRuntime().availableProcessors(),
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"),
                        Runtime.version());
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
