package dev.spream.benchmarks.readers;

import dev.spream.benchmarks.harness.ChildJvm;
import dev.spream.benchmarks.harness.EmulatorProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A reader that is measured. */
enum Reader {
    BARE("bare gRPC"),
    SPREAM("spream"),
    BEAM("Beam, direct runner"),
    DEBEZIUM("Debezium, embedded");

    private static final List<String> HEAP = List.of("-Xmx1g");

    private final String label;

    Reader(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /**
     * Starts it in a JVM of its own.
     *
     * @param run a name of its own, for its file of receipts, its log, and the table that it may need
     */
    ChildJvm start(Path folder, String run, String host, String start) throws IOException {
        Path log = folder.resolve(run + ".log");
        String receipts = folder.resolve(run).toString();
        return switch (this) {
            case BARE -> ours(BareReader.class, log, List.of(host, start, receipts));
            case SPREAM -> ours(SpreamReader.class, log, List.of(host, start, receipts, run));
            case BEAM -> peer("beam", "BeamPipeline", log, host, start, receipts, run);
            case DEBEZIUM -> peer("debezium", "DebeziumReader", log, host, start, receipts, run);
        };
    }

    private static ChildJvm ours(Class<?> program, Path log, List<String> arguments) throws IOException {
        return ChildJvm.start(System.getProperty("java.class.path"), program.getName(), log, HEAP, arguments);
    }

    private static ChildJvm peer(
            String peer, String program, Path log, String host, String start, String receipts, String table)
            throws IOException {
        Path target = sources().resolve("verification/interop-%s/target".formatted(peer));
        String[] names = EmulatorProcess.DATABASE.split("/", -1);
        return ChildJvm.start(
                target.resolve("classes") + ":"
                        + Files.readString(target.resolve("classpath")).strip(),
                "dev.spream.interop.%s.%s".formatted(peer, program),
                log,
                HEAP,
                List.of(
                        "host=" + host,
                        "project=" + names[1],
                        "instance=" + names[3],
                        "database=" + names[5],
                        "stream=" + EmulatorProcess.STREAM,
                        "table=" + table,
                        "start=" + start,
                        "receipts=" + receipts));
    }

    /** Compiles the programs of the others with the libraries of their releases. */
    static void build() throws IOException, InterruptedException {
        String modules = "verification/interop-beam,verification/interop-debezium";
        ProcessBuilder build = new ProcessBuilder(
                        "mvn",
                        "-q",
                        "-Dstyle.color=never",
                        "-Pproof",
                        "-Dmaven.test.skip=true",
                        "-pl",
                        modules,
                        "compile")
                .directory(sources().toFile())
                .inheritIO();
        build.environment().put("JAVA_HOME", System.getProperty("java.home"));
        if (build.start().waitFor() != 0) {
            throw new IOException("the programs of the other readers were not built");
        }
    }

    /** Creates a folder for the files of a run. */
    static Path newFolder() throws IOException {
        Path results = Files.createDirectories(sources().resolve("verification/benchmarks/target/benchmarks"));
        return Files.createTempDirectory(results, "readers");
    }

    /** Returns the folder of the sources: the class path begins with a file under verification/benchmarks/target. */
    private static Path sources() {
        Path ours =
                Path.of(System.getProperty("java.class.path").split(":", 2)[0]).toAbsolutePath();
        return ours.resolveSibling("../../..").normalize();
    }
}
