package dev.spream.storage.spanner;

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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy that can forget its connections as a firewall does: they stay open and pass nothing more, and new ones work.
 * Safe for use by many threads.
 */
final class SilencingProxy implements Closeable {
    private final InetSocketAddress server;
    private final ServerSocket listening;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger silenced = new AtomicInteger(); // connections up to that number
    private final AtomicInteger connections = new AtomicInteger();

    /** @param server host and port, with a colon between */
    SilencingProxy(String server) throws IOException {
        int colon = server.lastIndexOf(':');
        this.server = new InetSocketAddress(server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
        this.listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("silencing-proxy").start(this::accept);
    }

    String host() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    /** Every connection of now passes nothing more. */
    void silence() {
        silenced.set(connections.get());
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                open.add(client);
                int number = connections.incrementAndGet();
                Socket target = new Socket();
                open.add(target);
                target.setTcpNoDelay(true);
                client.setTcpNoDelay(true);
                target.connect(server);
                Thread.ofVirtual().start(() -> pass(client, target, number));
                Thread.ofVirtual().start(() -> pass(target, client, number));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void pass(Socket from, Socket to, int number) {
        byte[] buffer = new byte[64 * 1024];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                if (number > silenced.get()) {
                    out.write(buffer, 0, length);
                }
            }
            if (number > silenced.get()) {
                to.close();
            }
        } catch (IOException e) {
            // either side is gone
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
