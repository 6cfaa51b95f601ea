package dev.spream.storage.spanner.client;

import io.grpc.CallOptions;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Limits the chunks that the client prefetches of one query by their bytes. A chunk, as the server sends it, usually
 * has one row. The client requests a number of chunks in advance, whatever their size; this class forwards a request
 * only while the client holds less than the limit.
 *
 * <p>A client that has as many chunks as it asked for requests no further one until half of them are read: each request
 * that does not follow an arrival wakes the connection's thread.
 *
 * <p>One chunk is requested at a time, and its size is known before the next request. So the client exceeds the limit
 * by less than one chunk, including the chunk that the reader is processing. In addition to that chunk it may always
 * have one more, so that a chunk larger than the limit is delivered, and a reader never waits for a chunk that was not
 * requested. Chunks that the client retains because the server has not sent a resume token yet are not counted.
 *
 * <p>Has no effect unless the client has a {@link PrefetchInterceptor}. Safe for use by many threads: the connection's
 * thread adds chunks, and the reader's removes them.
 */
public final class Prefetch {
    /** The call option with the object that counts a call. */
    public static final CallOptions.Key<Prefetch> OF_CALL = CallOptions.Key.create("spream-prefetch");

    private final long limitBytes;
    private final Queue<Long> ahead = new ArrayDeque<>();
    private long bytesAhead;
    private long bytesBeingRead;
    private long wanted;
    private boolean underWay;
    private boolean claimed;

    /** @param limitBytes the number of bytes at which no further chunk is requested */
    public Prefetch(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Returns whether the caller is the first one, which counts the call; true once. */
    synchronized boolean claim() {
        boolean first = !claimed;
        claimed = true;
        return first;
    }

    /**
     * Called when the client has room for more chunks: after its first request, when it has taken as many.
     *
     * @return whether to request one chunk from the server
     */
    synchronized boolean request(int chunks) {
        for (int taken = 0; taken < chunks && !ahead.isEmpty(); taken++) {
            bytesBeingRead = ahead.remove();
            bytesAhead -= bytesBeingRead;
        }
        wanted += chunks;
        return wanted >= ahead.size() && next();
    }

    /**
     * Called when the requested chunk has arrived.
     *
     * @return whether to request one more from the server
     */
    synchronized boolean arrived(long bytes) {
        ahead.add(bytes);
        bytesAhead += bytes;
        underWay = false;
        return next();
    }

    private boolean next() {
        boolean full = !ahead.isEmpty() && bytes() >= limitBytes;
        if (underWay || wanted == 0 || full) {
            return false;
        }
        wanted--;
        underWay = true;
        return true;
    }

    /** Returns the number of prefetched chunks of which the reader has got no row yet. */
    public synchronized int chunksAhead() {
        return ahead.size();
    }

    /** Returns the bytes that the client holds, including the chunk that the reader is processing, counted as sent. */
    synchronized long bytes() {
        return bytesAhead + bytesBeingRead;
    }
}
