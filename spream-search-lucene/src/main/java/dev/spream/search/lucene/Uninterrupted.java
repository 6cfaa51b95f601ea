package dev.spream.search.lucene;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Runs file operations in a thread that is never interrupted. Interrupting a thread during a file operation closes the file
 * for all its users, and an index whose lock is closed cannot be written any more.
 */
final class Uninterrupted {
    private Uninterrupted() {}

    /**
     * Returns the result of the work, or throws its failure. An interrupted caller waits for it too, and its interrupt
     * status is restored.
     */
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
