package dev.spream.benchmarks.readers;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.stream.IntStream;

/**
 * A file of two numbers for each row, shared by the process that reads a stream and the one that measures: when the row was
 * first consumed, in microseconds since 1970 and 0 before, and how often. Safe for use by many threads, if none consumes a
 * row at the same time as another.
 */
final class Receipts {
    private final LongBuffer numbers;

    private Receipts(FileChannel channel, long bytes) throws IOException {
        numbers = channel.map(MapMode.READ_WRITE, 0, bytes)
                .order(ByteOrder.nativeOrder())
                .asLongBuffer();
    }

    /** Creates the file, without receipts. */
    static Receipts create(Path file, int rows) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            return new Receipts(channel, 16L * rows);
        }
    }

    static Receipts open(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Receipts(channel, channel.size());
        }
    }

    static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }

    void consumed(long id) {
        int at = Math.toIntExact(2 * id);
        numbers.put(at + 1, numbers.get(at + 1) + 1);
        if (numbers.get(at) == 0) {
            numbers.put(at, micros(Instant.now()));
        }
    }

    long consumedAt(int id) {
        return numbers.get(2 * id);
    }

    /** Returns how many of the rows from one to before another were consumed. */
    long consumed(int from, int to) {
        return IntStream.range(from, to).filter(id -> consumedAt(id) != 0).count();
    }

    /** Returns how often rows from one to before another were consumed again. */
    long repeated(int from, int to) {
        return IntStream.range(from, to)
                .mapToLong(id -> Math.max(0, numbers.get(2 * id + 1) - 1))
                .sum();
    }
}
