package dev.spream.benchmarks.projection;

import dev.spream.benchmarks.harness.Measurements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.sql.DataSource;

/**
 * The processor time of a server's sessions during some work, on the same machine. Sessions that end meanwhile are not
 * included. Confined to one thread.
 */
final class ServerCpu {
    private final DataSource database;
    private final Map<String, List<Double>> micros = new LinkedHashMap<>();

    ServerCpu(DataSource database) {
        this.database = database;
    }

    Callable<Long> of(String name, Callable<Long> repetition) {
        List<Double> figures = micros.computeIfAbsent(name, unused -> new ArrayList<>());
        return () -> {
            Map<Long, Duration> before = sessions();
            long rows = repetition.call();
            double sum = 0;
            for (Map.Entry<Long, Duration> session : sessions().entrySet()) {
                Duration used = session.getValue().minus(before.getOrDefault(session.getKey(), Duration.ZERO));
                sum += used.toNanos() / 1e3;
            }
            figures.add(sum / rows);
            return rows;
        };
    }

    /** Prints medians, without the first measurements of each. */
    void print(int warmUps) {
        micros.forEach((name, all) -> System.out.printf(
                "%-44s %,.2f us/row of the server's CPU%n",
                name, Measurements.median(all.subList(warmUps, all.size()))));
    }

    private Map<Long, Duration> sessions() throws SQLException {
        Map<Long, Duration> used = new HashMap<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pid FROM pg_stat_activity")) {
            while (row.next()) {
                long pid = row.getLong(1);
                ProcessHandle.of(pid)
                        .flatMap(process -> process.info().totalCpuDuration())
                        .ifPresent(duration -> used.put(pid, duration));
            }
        }
        return used;
    }
}
