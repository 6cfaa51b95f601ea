package dev.spream.servers;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * A network between clients and a server on this machine that can die without a word: what was connected stays so, what
 * connects is accepted, and nothing is passed on or answered any more.
 */
public final class DeadNetwork implements AutoCloseable {
    private final InetSocketAddress server;
    private final ServerSocket listening;
    private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
    private volatile boolean dead;
    private volatile Optional<String> last = Optional.empty();

    private DeadNetwork(InetSocketAddress server) throws IOException {
        this.server = server;
        this.listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    }

    public static DeadNetwork before(String address) throws IOException {
        int colon = address.lastIndexOf(':');
        DeadNetwork network = new DeadNetwork(
                new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))));
        Thread.ofVirtual().name("network").start(network::accept);
        return network;
    }

    /** For clients, in place of the server's. */
    public String address() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    public void die() {
        dead = true;
    }

    /** Dies with the next request that contains the text: the server receives it, and its answer is lost. */
    public void dieAfter(String text) {
        last = Optional.of(text);
    }

    /** Breaks all connections, of which both sides learn; later ones reach the server. */
    public synchronized void revive() {
        Set<Closeable> broken = Set.copyOf(open);
        broken.forEach(DeadNetwork::closeQuietly);
        open.removeAll(broken);
        last = Optional.empty();
        dead = false;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                if (admit(client)) {
                    Thread.ofVirtual().start(() -> connect(client));
                }
            }
        } catch (IOException e) {
            // closed
        }
    }

    /** Returns whether the network passes its bytes on; if not, {@link #revive} breaks it. */
    private synchronized boolean admit(Socket client) {
        open.add(client);
        return !dead;
    }

    private void connect(Socket client) {
        try {
            Socket behind = new Socket(server.getAddress(), server.getPort());
            open.add(behind);
            client.setTcpNoDelay(true);
            behind.setTcpNoDelay(true);
            Thread.ofVirtual().start(() -> pass(client, behind, this::isLast));
            pass(behind, client, answer -> false);
        } catch (IOException e) {
            // the server is gone, and so is the connection
        }
    }

    private boolean isLast(String request) {
        return last.filter(request::contains).isPresent();
    }

    /** In a dead network an end is not passed on either. */
    private void pass(Socket from, Socket to, Predicate<String> isLast) {
        byte[] buffer = new byte[64 * 1024];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                if (!dead) {
                    if (isLast.test(new String(buffer, 0, length, StandardCharsets.ISO_8859_1))) {
                        dead = true; // before the server can answer
                    }
                    out.write(buffer, 0, length);
                }
            }
        } catch (IOException e) {
            // either side is gone
        }
        if (!dead) {
            closeQuietly(from);
            closeQuietly(to);
        }
    }

    private static void closeQuietly(Closeable socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is closed
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        open.forEach(DeadNetwork::closeQuietly);
    }
}
