package dev.spream.examples;

import dev.spream.sink.files.CommittedFile;
import dev.spream.sink.files.FilesReader;
import dev.spream.sink.files.LocalStore;
import dev.spream.sink.files.ObjectStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/** Prints the changes that count in a folder which the sink {@code files} writes, each once, in the order of its row. */
public final class FilesExample {
    private FilesExample() {}

    /** {@code FilesExample <folder> [number of the last entry that was read]}. */
    public static void main(String[] args) {
        if (args.length < 1 || args.length > 2) {
            System.err.println("usage: FilesExample <folder> [number of the last entry that was read]");
            System.exit(2);
        }
        long last = args.length == 2 ? Long.parseLong(args[1]) : 0;
        long now = read(
                Path.of(args[0]), last, content -> unzipped(content).lines().forEach(System.out::println));
        System.err.println("read up to entry " + now);
    }

    /** Reads the entries after that number, and returns the number of the last one. */
    static long read(Path folder, long last, Consumer<byte[]> load) {
        long number = last;
        try (ObjectStore store = LocalStore.open(folder)) {
            FilesReader reader = FilesReader.of(store);
            for (FilesReader.Entry entry : reader.entries(number)) {
                for (CommittedFile file : entry.files()) {
                    load.accept(reader.content(file));
                }
                number = entry.number(); // store it with what was loaded, for the next time
            }
        }
        return number;
    }

    static String unzipped(byte[] content) {
        try (GZIPInputStream unzipped = new GZIPInputStream(new ByteArrayInputStream(content))) {
            return new String(unzipped.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
