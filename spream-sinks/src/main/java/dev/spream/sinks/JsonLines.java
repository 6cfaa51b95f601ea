package dev.spream.sinks;

import dev.spream.api.format.ChangeFormat;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes each change to a stream, as a line of JSON in the shape of the documentation's {@code data_change_record}, or
 * each of its rows as a line of another format, by a {@link LineOutput}.
 *
 * <p>Safe for use by many threads. Closing writes the buffered lines, and leaves the stream open; closing again is
 * harmless.
 */
public final class JsonLines implements Consumer, AutoCloseable {
    private final LineOutput lines;
    private final ChangeLines format;
    private final AtomicLong written = new AtomicLong();

    private JsonLines(LineOutput lines, ChangeLines format) {
        this.lines = lines;
        this.format = format;
    }

    /**
     * Starts to write, with a thread that writes buffered lines that no further line follows.
     *
     * @param out a stream that throws its failures, unlike a {@link java.io.PrintStream} such as {@link System#out}
     */
    public static JsonLines start(OutputStream out) {
        return start(out, ChangeLines.OF_RECORDS);
    }

    /** Starts to write, a line for each row, in a format whose values are text. */
    public static JsonLines start(OutputStream out, ChangeFormat format) {
        return start(out, new ChangeLines(Optional.of(format)));
    }

    static JsonLines start(OutputStream out, ChangeLines format) {
        return new JsonLines(LineOutput.start(out), format);
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws IOException, InterruptedException {
        lines.writeEnded(format.of(change, delivery));
        written.incrementAndGet();
    }

    @Override
    public void flush() throws IOException {
        lines.flush();
    }

    /** Returns the number of changes accepted so far. */
    public long written() {
        return written.get();
    }

    /** See {@link LineOutput#isReaderClosed}. */
    public boolean isReaderClosed() {
        return lines.isReaderClosed();
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
