package dev.spream.format.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Google's compiler, which the build leaves in {@code target}. */
final class Protoc {
    private static final Path COMPILER = Path.of("target/protoc.exe").toAbsolutePath();

    private Protoc() {}

    /** Returns the descriptor of a {@code .proto} file. */
    static FileDescriptor file(String text) throws Exception {
        return files(List.of(text)).getFirst();
    }

    /**
     * Returns the descriptors of {@code .proto} files, in order.
     *
     * @throws IllegalArgumentException if the compiler refuses one, with its message
     */
    static List<FileDescriptor> files(List<String> texts) throws Exception {
        Path folder = Files.createTempDirectory("protoc");
        try {
            return files(folder, texts);
        } finally {
            try (Stream<Path> paths = Files.walk(folder)) {
                paths.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
            }
        }
    }

    private static List<FileDescriptor> files(Path folder, List<String> texts) throws Exception {
        for (String imported : List.of("struct", "timestamp")) {
            String name = "google/protobuf/%s.proto".formatted(imported);
            Path file =
                    Files.createDirectories(folder.resolve("google/protobuf")).resolve(imported + ".proto");
            try (InputStream content = requireNonNull(FileDescriptor.class.getResourceAsStream("/" + name), name)) {
                Files.copy(content, file);
            }
        }
        List<String> names =
                IntStream.range(0, texts.size()).mapToObj("%d.proto"::formatted).toList();
        for (int i = 0; i < texts.size(); i++) {
            Files.writeString(folder.resolve(names.get(i)), texts.get(i));
        }
        compile(folder, names);
        return descriptors(FileDescriptorSet.parseFrom(Files.readAllBytes(folder.resolve("set"))), names);
    }

    private static void compile(Path folder, List<String> names) throws IOException, InterruptedException {
        if (!Files.isExecutable(COMPILER) && !COMPILER.toFile().setExecutable(true)) {
            throw new IllegalStateException(
                    "no compiler at %s: mvn process-test-resources leaves it".formatted(COMPILER));
        }
        List<String> command = new ArrayList<>(
                List.of(COMPILER.toString(), "--include_imports", "--fatal_warnings", "--descriptor_set_out=set"));
        command.addAll(names);
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String answer = new String(process.getInputStream().readAllBytes(), UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalArgumentException(answer);
        }
    }

    private static List<FileDescriptor> descriptors(FileDescriptorSet set, List<String> names)
            throws DescriptorValidationException {
        Map<String, FileDescriptor> known = new HashMap<>();
        for (FileDescriptorProto file : set.getFileList()) { // imports before those that import them
            FileDescriptor[] imports =
                    file.getDependencyList().stream().map(known::get).toArray(FileDescriptor[]::new);
            known.put(file.getName(), FileDescriptor.buildFrom(file, imports));
        }
        return names.stream().map(known::get).toList();
    }
}
