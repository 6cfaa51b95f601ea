package dev.spream.storage.spanner;

import io.grpc.CallOptions;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * What the client has fetched of one query and its reader has not taken, in the chunks that the server sends: most hold one
 * row. The client asks for its chunks in advance, so many at a time as its option says, whatever their size. This lets it
 * have the next one only while what it holds is less than a number of bytes.
 *
 * <p>One chunk is asked for at a time, and its size is known before the next one is. So the client holds less than one chunk
 * more than the limit. Who holds nothing may always have one: a chunk larger than the limit passes alone, and no reader
 * waits for a chunk that was not asked for.
 *
 * <p>Counts nothing, and limits nothing, unless the client has a {@link PrefetchInterceptor}. Safe for use by many threads:
 * that of the connection, which adds, and the reader's, which takes.
 */
final class Prefetch {
    /** Says which object counts a call. */
    static final CallOptions.Key<Prefetch> OF_CALL = CallOptions.Key.create("spream-prefetch");

    private final long limitBytes;
    private final Queue<Long> sizes = new ArrayDeque<>();
    private long bytes;
    private long wanted;
    private boolean underWay;

    /** @param limitBytes how many bytes are enough, so that no further chunk is asked for */
    Prefetch(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * The client has room for so many chunks more. After its first request it says so when it has taken as many.
     *
     * @return whether to ask the server for one chunk
     */
    synchronized boolean request(int chunks) {
        for (int taken = 0; taken < chunks && !sizes.isEmpty(); taken++) {
            bytes -= sizes.remove();
        }
        wanted += chunks;
        return next();
    }

    /**
     * The chunk that was asked for has arrived.
     *
     * @return whether to ask the server for one more
     */
    synchronized boolean arrived(long size) {
        sizes.add(size);
        bytes += size;
        underWay = false;
        return next();
    }

    private boolean next() {
        if (underWay || wanted == 0 || bytes >= limitBytes) {
            return false;
        }
        wanted--;
        underWay = true;
        return true;
    }

    /** How many chunks the client holds that its reader has not taken. */
    synchronized int chunks() {
        return sizes.size();
    }

    /** The size of {@link #chunks()}, without what Java adds to it. */
    synchronized long bytes() {
        return bytes;
    }
}
