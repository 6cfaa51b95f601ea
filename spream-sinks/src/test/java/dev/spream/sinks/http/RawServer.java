package dev.spream.sinks.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A server on the loopback interface that says what a test wants, be it HTTP or not, to each request; and hangs up, or not. */
final class RawServer implements AutoCloseable {
    private final ServerSocket socket;
    private final String answer;
    private final boolean hangsUp;
    private final CountDownLatch end = new CountDownLatch(1);
    private final CountDownLatch first = new CountDownLatch(1);
    private final AtomicInteger requests = new AtomicInteger();

    private RawServer(ServerSocket socket, String answer, boolean hangsUp) {
        this.socket = socket;
        this.answer = answer;
        this.hangsUp = hangsUp;
    }

    static RawServer hangingUpAfter(String answer) throws IOException {
        return start(answer, true);
    }

    static RawServer silentAfter(String answer) throws IOException {
        return start(answer, false);
    }

    private static RawServer start(String answer, boolean hangsUp) throws IOException {
        RawServer server = new RawServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), answer, hangsUp);
        Thread.ofVirtual().start(server::accept);
        return server;
    }

    private void accept() {
        try {
            while (true) {
                Socket connection = socket.accept();
                Thread.ofVirtual().start(() -> serve(connection));
            }
        } catch (IOException e) {
            end.countDown();
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            InputStream in = connection.getInputStream();
            readUntilPayload(in);
            requests.incrementAndGet();
            first.countDown();
            connection.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
            connection.getOutputStream().flush();
            if (!hangsUp) {
                end.await();
            }
            connection.shutdownOutput();
            in.transferTo(OutputStream.nullOutputStream()); // closed with bytes unread, it would be reset
        } catch (IOException e) {
            end.countDown(); // the caller is gone
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The whole request with the payload; of a handshake, whatever comes first. */
    private static void readUntilPayload(InputStream in) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(Entries.PAYLOAD) < 0) {
            int next = in.read();
            if (next < 0 || (read.isEmpty() && next != 'P')) {
                return;
            }
            read.append((char) next);
        }
    }

    String url(String scheme) {
        return scheme + "://127.0.0.1:" + socket.getLocalPort() + "/orders";
    }

    /** Waits until a request came, whole. */
    void awaitRequest() throws InterruptedException {
        if (!first.await(20, TimeUnit.SECONDS)) {
            throw new AssertionError("no request came");
        }
    }

    int requests() {
        return requests.get();
    }

    @Override
    public void close() throws IOException {
        end.countDown();
        socket.close();
    }
}
