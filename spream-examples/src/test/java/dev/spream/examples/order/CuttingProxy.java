package dev.spream.examples.order;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between services and a PostgreSQL server. Now and then it ends a connection instead of passing on that a transaction
 * committed: the server has done it, and the service does not know.
 */
final class CuttingProxy implements AutoCloseable {
    /** CommandComplete with the tag COMMIT, by PostgreSQL's protocol of messages. */
    private static final byte[] COMMITTED = {'C', 0, 0, 0, 11, 'C', 'O', 'M', 'M', 'I', 'T', 0};

    /** ReadyForQuery outside of a transaction: what a statement that is a transaction of its own ends with. */
    private static final byte[] IDLE = {'Z', 0, 0, 0, 5, 'I'};

    private final InetSocketAddress server;
    private final ServerSocket listening;
    private final Random random; // guarded by itself
    private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong commits = new AtomicLong();
    private final AtomicLong lostCommits = new AtomicLong();
    private final AtomicLong lostAnswers = new AtomicLong();
    private volatile double lossRate;

    private CuttingProxy(int serverPort, long seed) throws IOException {
        server = new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort);
        listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        random = new Random(seed);
    }

    static CuttingProxy before(int serverPort, long seed) throws IOException {
        CuttingProxy proxy = new CuttingProxy(serverPort, seed);
        Thread.ofVirtual().name("proxy").start(proxy::accept);
        return proxy;
    }

    int port() {
        return listening.getLocalPort();
    }

    /** @param share of the ends of transactions that nobody is told of */
    void lose(double share) {
        lossRate = share;
    }

    long commits() {
        return commits.get();
    }

    long lostCommits() {
        return lostCommits.get();
    }

    /** Statements whose answers were lost, without commits. */
    long lostAnswers() {
        return lostAnswers.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket service = listening.accept();
                Thread.ofVirtual().start(() -> connect(service));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void connect(Socket service) {
        Socket database = new Socket();
        open.add(service);
        open.add(database);
        try (service;
                database) {
            service.setTcpNoDelay(true);
            database.setTcpNoDelay(true);
            database.connect(server);
            Thread requests = Thread.ofVirtual().start(() -> pass(service, database, false));
            pass(database, service, true);
            requests.join();
        } catch (IOException e) {
            // the server is gone, and so is the connection
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(service);
            open.remove(database);
        }
    }

    /** Passes bytes on until one side ends, and ends the other then. */
    private void pass(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[64 * 1024];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                if (answers && isLost(buffer, length)) {
                    return;
                }
                out.write(buffer, 0, length);
            }
        } catch (IOException e) {
            // either side is gone
        }
    }

    private boolean isLost(byte[] answer, int length) {
        boolean commit = contains(answer, length, COMMITTED);
        boolean idle = endsWith(answer, length, IDLE);
        if (commit) {
            commits.incrementAndGet();
        }
        if (!(commit || idle) || !strikes()) {
            return false;
        }
        (commit ? lostCommits : lostAnswers).incrementAndGet();
        return true;
    }

    private boolean strikes() {
        synchronized (random) {
            return random.nextDouble() < lossRate;
        }
    }

    private static boolean contains(byte[] bytes, int length, byte[] wanted) {
        for (int start = 0; start <= length - wanted.length; start++) {
            if (matches(bytes, start, wanted)) {
                return true;
            }
        }
        return false;
    }

    private static boolean endsWith(byte[] bytes, int length, byte[] wanted) {
        return length >= wanted.length && matches(bytes, length - wanted.length, wanted);
    }

    private static boolean matches(byte[] bytes, int start, byte[] wanted) {
        for (int i = 0; i < wanted.length; i++) {
            if (bytes[start + i] != wanted[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Closeable socket : open) {
            socket.close();
        }
    }
}
