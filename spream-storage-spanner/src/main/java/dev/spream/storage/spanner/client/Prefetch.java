package dev.spream.storage.spanner.client;

import io.grpc.CallOptions;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The chunks that the client has fetched of one query, as the server sends them; one usually holds one row. The client
 * asks for its chunks in advance, so many at a time as its option says, whatever their size. This lets it have the next
 * one only while what it holds is less than a number of bytes.
 *
 * <p>One chunk is asked for at a time, and its size is known before the next one is. So the client holds less than one chunk
 * more than the limit, the chunk included whose rows the reader is being given. Beside that chunk it may always have one
 * more: a chunk larger than the limit passes, and no reader waits for a chunk that was not asked for. What is not seen here
 * are chunks that the client keeps back because the server sent no resume token with them yet.
 *
 * <p>Counts nothing, and limits nothing, unless the client has a {@link PrefetchInterceptor}. Safe for use by many threads:
 * that of the connection, which adds, and the reader's, which takes.
 */
public final class Prefetch {
    /** Says which object counts a call. */
    public static final CallOptions.Key<Prefetch> OF_CALL = CallOptions.Key.create("spream-prefetch");

    private final long limitBytes;
    private final Queue<Long> ahead = new ArrayDeque<>();
    private long bytesAhead;
    private long bytesBeingRead;
    private long wanted;
    private boolean underWay;
    private boolean claimed;

    /** @param limitBytes how many bytes are enough, so that no further chunk is asked for */
    public Prefetch(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Returns whether this is the call to count: the first one that asks, and it asks once. */
    synchronized boolean claim() {
        boolean first = !claimed;
        claimed = true;
        return first;
    }

    /**
     * The client has room for so many chunks more. After its first request it says so when it has taken as many.
     *
     * @return whether to ask the server for one chunk
     */
    synchronized boolean request(int chunks) {
        for (int taken = 0; taken < chunks && !ahead.isEmpty(); taken++) {
            bytesBeingRead = ahead.remove();
            bytesAhead -= bytesBeingRead;
        }
        wanted += chunks;
        return next();
    }

    /**
     * The chunk that was asked for has arrived.
     *
     * @return whether to ask the server for one more
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

    /** How many chunks the client holds of which the reader was given nothing. */
    public synchronized int chunksAhead() {
        return ahead.size();
    }

    /** How much the client holds, the chunk included whose rows the reader is being given, as on the wire. */
    synchronized long bytes() {
        return bytesAhead + bytesBeingRead;
    }
}
