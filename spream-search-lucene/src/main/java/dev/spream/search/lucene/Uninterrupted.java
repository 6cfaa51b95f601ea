package dev.spream.search.lucene;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Works on files in a thread that nobody interrupts. A thread that is interrupted while it is at a file closes it, for all who use
 * it, and an index whose lock is closed cannot be written any more.
 */
final class Uninterrupted {
    private Uninterrupted() {}

    /** What the work returns or throws. Who is interrupted waits for it all the same, and is interrupted afterwards. */
    static <R> R call(Callable<R> work) throws IOException {
        FutureTask<R> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "spream-search-files");
        thread.setDaemon(true);
        thread.start();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw unwrapped(Optional.ofNullable(e.getCause()).orElse(e));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static IOException unwrapped(Throwable thrown) {
        return switch (thrown) {
            case IOException e -> e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> new IOException(thrown);
        };
    }
}
