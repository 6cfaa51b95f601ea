package dev.spream.lock;

import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A wait on a thread of its own, so that the thread that needs the lock can end the wait. Used by that thread. */
record WaitingThread<R>(FutureTask<R> task, Thread thread) {

    /** @param over called when the wait is over */
    static <R> WaitingThread<R> start(String name, Callable<R> wait, Runnable over) {
        FutureTask<R> task = new FutureTask<>(wait) {
            @Override
            protected void done() {
                over.run();
            }
        };
        return new WaitingThread<>(task, Thread.ofVirtual().name(name).start(task));
    }

    boolean isOver() {
        return task.isDone();
    }

    /** Returns the result of the wait, or throws its failure. */
    R result() throws InterruptedException {
        try {
            return task.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case InterruptedException interruption -> throw interruption;
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    /**
     * Interrupts the wait, and waits until it has ended.
     *
     * @return its result, if it had succeeded before
     * @throws InterruptedException if the calling thread was interrupted meanwhile
     */
    Optional<R> end() throws InterruptedException {
        thread.interrupt();
        if (joinInterrupted()) {
            throw new InterruptedException("interrupted while a wait for a lock was ended");
        }
        return task.state() == FutureTask.State.SUCCESS ? Optional.of(task.resultNow()) : Optional.empty();
    }

    private boolean joinInterrupted() {
        boolean interrupted = false;
        while (true) {
            try {
                Object ignored = task.get();
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException | CancellationException e) {
                return interrupted;
            }
        }
    }
}
