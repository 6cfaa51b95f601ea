package dev.spream.sink.kafka;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A network between clients and a broker, which can be cut, and can hold back what clients send and deliver it later,
 * even after they have disconnected. Safe for use by many threads.
 */
final class BrokerProxy implements AutoCloseable {
    private static final int ID_ANSWER_ERROR = 13; // after size, correlation id, tags and throttle time

    private final ServerSocket server;
    private final List<Connection> connections = new CopyOnWriteArrayList<>();
    private final AtomicInteger held = new AtomicInteger();
    private volatile int target;
    private volatile boolean holding;
    private volatile boolean muted;
    private volatile boolean cut;
    private volatile Errors idError = Errors.NONE;

    private BrokerProxy(ServerSocket server) {
        this.server = server;
    }

    static BrokerProxy start() throws IOException {
        BrokerProxy proxy = new BrokerProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        Thread.ofVirtual().start(proxy::accept);
        return proxy;
    }

    int port() {
        return server.getLocalPort();
    }

    String address() {
        return "127.0.0.1:" + port();
    }

    void target(int port) {
        target = port;
    }

    /** Holds back from now on what clients send. */
    synchronized void hold() {
        holding = true;
        connections.forEach(connection -> connection.holding = true);
    }

    /** Passes on what is sent by connections made from now on; the others stay held. */
    synchronized void pass() {
        holding = false;
    }

    /** Delivers what was held, and returns when the broker has answered each connection that had sent something. */
    void release() throws IOException, InterruptedException {
        for (Connection connection : connections) {
            connection.release();
        }
    }

    /** Returns the number of times that something was held back. */
    int held() {
        return held.get();
    }

    /** Drops what the broker answers, if muted. */
    void mute(boolean muted) {
        this.muted = muted;
    }

    /** Puts this error into the answers with which clients get the id of a producer, unless it is none. */
    void failIds(Errors error) {
        idError = error;
    }

    /** Ends all connections and refuses others, until it is called with false. */
    void cut(boolean cut) {
        this.cut = cut;
        if (cut) {
            connections.forEach(Connection::close);
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                if (cut) {
                    client.close();
                    continue;
                }
                Connection connection = add(client, new Socket(InetAddress.getLoopbackAddress(), target));
                Thread.ofVirtual().start(connection::requests);
                connection.answering = Thread.ofVirtual().start(connection::answers);
            } catch (IOException e) {
                continue; // closed, or the broker is not there
            }
        }
    }

    private synchronized Connection add(Socket client, Socket broker) {
        Connection connection = new Connection(client, broker, holding);
        connections.add(connection);
        return connection;
    }

    /** Returns the next request or answer, with its size; null at the end. */
    private static byte @Nullable [] frame(DataInputStream in) throws IOException {
        int size;
        try {
            size = in.readInt();
        } catch (EOFException e) {
            return null;
        }
        byte[] frame = ByteBuffer.allocate(Integer.BYTES + size).putInt(size).array();
        in.readFully(frame, Integer.BYTES, size);
        return frame;
    }

    private final class Connection {
        private final Socket client;
        private final Socket broker;
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream(); // guarded by itself
        private final Set<Integer> idRequests = ConcurrentHashMap.newKeySet(); // their correlation ids
        private volatile boolean holding;
        private volatile @Nullable Thread answering;

        Connection(Socket client, Socket broker, boolean holding) {
            this.client = client;
            this.broker = broker;
            this.holding = holding;
        }

        void requests() {
            try {
                DataInputStream in = new DataInputStream(client.getInputStream());
                for (byte[] bytes = frame(in); bytes != null; bytes = frame(in)) {
                    ByteBuffer request = ByteBuffer.wrap(bytes);
                    if (bytes.length >= ID_ANSWER_ERROR && request.getShort(4) == ApiKeys.INIT_PRODUCER_ID.id) {
                        idRequests.add(request.getInt(8));
                    }
                    synchronized (kept) {
                        if (holding) {
                            kept.write(bytes);
                            held.incrementAndGet();
                        } else {
                            broker.getOutputStream().write(bytes);
                        }
                    }
                }
            } catch (IOException e) {
                close(broker);
            }
            if (!holding) {
                close(broker);
            }
        }

        void answers() {
            try {
                DataInputStream in = new DataInputStream(broker.getInputStream());
                for (byte[] bytes = frame(in); bytes != null; bytes = frame(in)) {
                    ByteBuffer answer = ByteBuffer.wrap(bytes);
                    if (bytes.length > ID_ANSWER_ERROR
                            && idRequests.remove(answer.getInt(4))
                            && idError != Errors.NONE) {
                        answer.putShort(ID_ANSWER_ERROR, idError.code());
                    }
                    if (!muted && !holding) {
                        client.getOutputStream().write(bytes);
                    }
                }
            } catch (IOException e) {
                close(client);
            }
            close(client);
        }

        /** The broker reads all, answers, and ends the connection, as the end of its input tells it. */
        void release() throws IOException, InterruptedException {
            synchronized (kept) {
                if (kept.size() == 0) {
                    return;
                }
                kept.writeTo(broker.getOutputStream());
                kept.reset();
            }
            broker.shutdownOutput();
            Thread answered = answering;
            if (answered != null && !answered.join(Duration.ofSeconds(30))) {
                throw new IOException("the broker did not answer what was held");
            }
        }

        void close() {
            close(client);
            close(broker);
        }

        private void close(Socket socket) {
            try {
                socket.close();
            } catch (IOException e) {
                return; // closed already
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        connections.forEach(Connection::close);
    }
}
