package dev.spream.cli.output;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A terminal line that is rewritten until it ends. Safe for use by many threads. */
public final class StatusLine {
    private static final long REFRESH_MILLIS = 500;
    private static final String START_OF_CLEARED_LINE = "\r\u001b[K";

    private final PrintStream terminal;
    private final Supplier<String> text;
    private final ReentrantLock terminalLock = new ReentrantLock();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable Thread refreshing;

    /**
     * Creates a line that is not shown yet.
     *
     * @param text supplies the current text
     */
    public StatusLine(PrintStream terminal, Supplier<String> text) {
        this.terminal = terminal;
        this.text = text;
    }

    /** Shows the line and keeps it up to date. */
    public void show() {
        refreshing = Thread.ofVirtual().name("spream-progress").start(this::refresh);
    }

    /** Returns the stream with the line cleared before each write, since both may be the same terminal. */
    public OutputStream clearingBefore(OutputStream out) {
        return new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                terminalLock.lock();
                try {
                    print(START_OF_CLEARED_LINE);
                    out.write(bytes, offset, length);
                } finally {
                    terminalLock.unlock();
                }
            }
        };
    }

    /** Prints a permanent line with a timestamp, above the rewritten one. */
    public void printLine(String line) {
        print((refreshing == null ? "" : START_OF_CLEARED_LINE) + TimedLine.of(line) + System.lineSeparator());
    }

    /** Stops and clears the line. */
    public void end() {
        ended.countDown();
        Thread thread = refreshing;
        if (thread == null) {
            return;
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        print(START_OF_CLEARED_LINE);
    }

    private void refresh() {
        try {
            while (!ended.await(REFRESH_MILLIS, TimeUnit.MILLISECONDS)) {
                print(START_OF_CLEARED_LINE + text.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void print(String output) {
        terminalLock.lock();
        try {
            terminal.print(output);
            terminal.flush();
        } finally {
            terminalLock.unlock();
        }
    }
}
