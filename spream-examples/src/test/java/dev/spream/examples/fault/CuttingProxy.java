package dev.spream.examples.fault;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between services and a PostgreSQL server. Now and then it ends a connection instead of passing on that a transaction
 * committed: the server has done it, and the service does not know.
 */
public final class CuttingProxy implements AutoCloseable {
    /** CommandComplete with the tag COMMIT, by PostgreSQL's protocol of messages. */
    private static final byte[] COMMITTED = {'C', 0, 0, 0, 11, 'C', 'O', 'M', 'M', 'I', 'T', 0};

    /** ReadyForQuery outside of a transaction: what a statement that is a transaction of its own ends with. */
    private static final byte[] IDLE = {'Z', 0, 0, 0, 5, 'I'};

    private final InetSocketAddress server;
    private final ServerSocket listening;
    private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong commits = new AtomicLong();
    private final AtomicLong lostCommits = new AtomicLong();
    private final AtomicLong lostAnswers = new AtomicLong();
    private final AtomicLong answers = new AtomicLong();
    private volatile int lossEvery;

    private CuttingProxy(int serverPort) throws IOException {
        server = new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort);
        listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    }

    public static CuttingProxy before(int serverPort) throws IOException {
        CuttingProxy proxy = new CuttingProxy(serverPort);
        Thread.ofVirtual().name("proxy").start(proxy::accept);
        return proxy;
    }

    public int port() {
        return listening.getLocalPort();
    }

    /** @param every of so many commits, and of so many other ends of transactions, the response to one is lost; 0 for none */
    public void lose(int every) {
        lossEvery = every;
    }

    public long commits() {
        return commits.get();
    }

    public long lostCommits() {
        return lostCommits.get();
    }

    /** Statements whose answers were lost, without commits. */
    public long lostAnswers() {
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
        if (contains(answer, length, COMMITTED)) {
            return strikes(commits, lostCommits);
        }
        return endsWith(answer, length, IDLE) && strikes(answers, lostAnswers);
    }

    private boolean strikes(AtomicLong seen, AtomicLong lost) {
        int every = lossEvery;
        boolean strikes = seen.incrementAndGet() % Math.max(1, every) == 0 && every > 0;
        if (strikes) {
            lost.incrementAndGet();
        }
        return strikes;
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
