package dev.spream.storage.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A MySQL server of {@code bin/mysqld} in the folder that {@code -Dmysql.base} names. It commits durably, as by
 * default, and is stopped by {@code kill -9}.
 */
public final class MySqlInstallation implements StoppableServer {
    /** The property that names the folder. */
    public static final String BASE = "mysql.base";

    private final Path folder;
    private final MySqlServer server;
    private Process process;

    private MySqlInstallation(Path folder, MySqlServer server, Process process) {
        this.folder = folder;
        this.server = server;
        this.process = process;
    }

    public static MySqlInstallation start() {
        try {
            Path folder = Files.createTempDirectory(Path.of("target"), "mysql").toAbsolutePath();
            if (mysqld(folder, "--initialize-insecure").waitFor() != 0) {
                throw new IllegalStateException("mysqld did not initialize; see the log in " + folder);
            }
            String address = "127.0.0.1:" + freePort();
            MySqlInstallation installation =
                    new MySqlInstallation(folder, new MySqlServer(address, "tester", "tester's"), run(folder, address));
            awaitAnswer(new MySqlServer(address, "root", ""));
            MariaDbServer.addTester(address);
            return installation;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private static Process run(Path folder, String address) throws IOException {
        return mysqld(
                folder,
                "--bind-address=127.0.0.1",
                "--port=" + address.substring(address.indexOf(':') + 1),
                "--socket=" + folder.resolve("socket"),
                "--mysqlx=OFF",
                "--loose-default-authentication-plugin=mysql_native_password"); // a driver without TLS can use it
    }

    private static Process mysqld(Path folder, String... options) throws IOException {
        Path base = Path.of(System.getProperty(BASE)).toAbsolutePath();
        List<String> command = new ArrayList<>(List.of(
                base.resolve("bin").resolve("mysqld").toString(),
                "--no-defaults",
                "--basedir=" + base,
                "--datadir=" + folder.resolve("data"),
                "--user=" + System.getProperty("user.name")));
        command.addAll(List.of(options));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
                .start();
    }

    private static void awaitAnswer(MySqlServer as) {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!as.answers()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("mysqld does not answer: " + as);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    @Override
    public MySqlServer server() {
        return server;
    }

    @Override
    public void stop() {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void restart() {
        try {
            process = run(folder, server.address());
            awaitAnswer(server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
