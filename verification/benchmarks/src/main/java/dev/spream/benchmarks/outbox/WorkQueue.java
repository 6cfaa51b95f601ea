package dev.spream.benchmarks.outbox;

/** A durable queue in PostgreSQL, as a program uses it: an outbox, or a library of jobs. Its tables are its own. */
interface WorkQueue extends AutoCloseable {
    String label();

    /** Enqueues many at once, in as few transactions as it likes; none of them is started before {@link #start}. */
    void load(int entries) throws Exception;

    /** Enqueues one in a transaction of its own, as a program does that has something else to commit. */
    void enqueue(long number) throws Exception;

    /** Begins to work. What is to be done with an entry is to hand over its number; those that were loaded have -1. */
    void start(Handler handler) throws Exception;

    /** Stops when what was started is done and the database knows it. */
    void stop();

    /** Returns the number of entries that are not done, by a query of the database. */
    long left() throws Exception;

    @Override
    default void close() {
        stop();
    }

    /** Of an entry's number. */
    interface Handler {
        void handle(long number);
    }
}
