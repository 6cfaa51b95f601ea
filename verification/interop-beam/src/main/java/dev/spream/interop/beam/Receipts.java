package dev.spream.interop.beam;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;

/**
 * A file of two numbers for each row, shared with the process that measures: when the row was first consumed, in
 * microseconds since 1970, and how often. Safe for use by many threads, if none consumes a row at the same time as another.
 */
final class Receipts {
    private final LongBuffer numbers;

    Receipts(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            numbers = channel.map(MapMode.READ_WRITE, 0, channel.size())
                    .order(ByteOrder.nativeOrder())
                    .asLongBuffer();
        }
    }

    void consumed(long id) {
        int at = Math.toIntExact(2 * id);
        numbers.put(at + 1, numbers.get(at + 1) + 1);
        if (numbers.get(at) == 0) {
            Instant now = Instant.now();
            numbers.put(at, now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000);
        }
    }
}
